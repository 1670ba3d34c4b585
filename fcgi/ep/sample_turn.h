/* SPDX-License-Identifier: ISC */
/* How many requests of an operator read samples at once. */
#ifndef FCGI_EP_SAMPLE_TURN_H
#define FCGI_EP_SAMPLE_TURN_H

struct req;
struct resp;

/*
 * Take one of the two turns of the request's operator until the transaction
 * ends, so that one operator cannot occupy all workers with requests that read
 * samples for seconds but are no long requests.  Return 0, or -1 with req->fail
 * set: RATE_LIMITED with Retry-After if both are taken, on whatever hosts.
 */
int sample_turn_take(struct req *req, struct resp *resp)
    __attribute__((warn_unused_result));

#endif
