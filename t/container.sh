# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# A Debian 12 in $scratch/root that systemd boots in a container without a network.
# Sourced after tools/stack.sh and t/program.sh.
# shellcheck disable=SC2034,SC2154 # of t/machines.sh and of the test

# container_needs: skip the test where no container can be booted.  packages is the
# directory of the packages.
container_needs() {
	if [ "${RUN_SERVICES:-}" != 1 ]; then
		echo "# skipped: boots a container, RUN_SERVICES=1 runs it"
		exit 77
	fi
	packages=$builddir/t/packages
	needs "the packages that t/package.sh builds" [ -d "$packages" ]
	needs "root and a mount namespace" unshare -m true
	needs mmdebstrap command -v mmdebstrap
	needs "systemd-nspawn, of the package systemd-container" \
	    command -v systemd-nspawn
}

# container_guard: make $scratch, and remove it and the container at the end.
container_guard() {
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/assay-boot.XXXXXX")
	root=$scratch/root
	container=
	container_network=--private-network
	init=
	trap leave EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}
leave() {
	[ -z "$container" ] || for pid in $init $(nspawn_pid); do
		kill -s KILL "$pid"
	done
	stack_until 30 0 stack_gone "$container"
	rm -rf --one-file-system "$scratch"
}

# boot: start the container; init is its first process.  It has a cgroup of its
# own, which is removed after it.
boot() {
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare -m sh -c 'mount --make-rprivate /
	    umount -R -l /sys/fs/cgroup
	    mount -t cgroup2 cgroup2 /sys/fs/cgroup
	    cgroup=/sys/fs/cgroup/assay-boot.$$
	    mkdir "$cgroup" && echo $$ >"$cgroup/cgroup.procs"
	    SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn -q -D "$1" \
		--register=no --keep-unit "$2" \
		--machine=assay-boot-$$ -b --console=pipe
	    echo $$ >/sys/fs/cgroup/cgroup.procs
	    find "$cgroup" -depth -type d -exec rmdir {} \;' - "$root" "$container_network" \
	    </dev/null >>"$scratch/console" 2>&1 &
	container=$!
	stack_until 120 "$container" is_booted
}
nspawn_pid() { pgrep -P "$container" -f systemd-nspawn; }
is_booted() {
	init=$(pgrep -P "$(nspawn_pid)")
	case $(inside systemctl is-system-running) in
	running | degraded) ;;
	*) return 1 ;;
	esac
}
# inside COMMAND ...: run it in the container.
inside() {
	nsenter -t "$init" -a env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
	    LC_ALL=C.UTF-8 "$@"
}
# shut_down: end the container.
shut_down() {
	inside systemctl poweroff
	stack_until 60 0 stack_gone "$container"
	wait "$container"
	container=
	init=
}
# does COMMAND ...: run it in the container; its output is in out and err.
does() { inside "$@" >"$scratch/out" 2>"$scratch/err"; }

# decide: send a new event over TLS with $key.
decide() {
	does curl -sSf --max-time 20 --cacert /etc/assay/tls/assay.pem \
	    https://localhost/v1/decisions -H "X-API-Key: $key" \
	    -H 'Content-Type: application/json' \
	    -d '{"type":"account.login","subject":{"userId":"u-1"}}' &&
	    prints '"verdict":'
}
