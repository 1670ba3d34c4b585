/* SPDX-License-Identifier: ISC */
/* Requests that may take minutes. */
#include "config.h"

#include <unistd.h>

#include "core/base/fail.h"
#include "fcgi/gate/long_request.h"
#include "fcgi/worker/host_semaphore.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/shared/shm.h"

int
long_request_run(struct req *req, struct resp *resp, route_fn *fn)
{
	_Atomic int32_t *slots = req->worker->shm->long_requests;
	const int n =
	    conf.OPERATOR_WORKERS > 2 ? (int)conf.OPERATOR_WORKERS - 2 : 1;
	int slot, r;

	if ((slot = host_semaphore_acquire(slots, n, getpid())) == -1)
		return fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE, NULL,
		    "no more long requests may run at once; try again when one "
		    "has ended");
	r = fn(req, resp);
	host_semaphore_release(slots, slot);
	return r;
}
