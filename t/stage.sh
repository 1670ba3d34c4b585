# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# How long the stages of a long test take.

# stage NAME: print how long the stage before took, and begin this one; "end" is
# the last.
stage_name=
stage() {
	stage_now=$(date +%s)
	[ -z "$stage_name" ] || echo "# $stage_name: $((stage_now - stage_began)) s"
	stage_began=$stage_now
	stage_name=$1
}
