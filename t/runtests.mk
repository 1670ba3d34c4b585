# SPDX-License-Identifier: ISC
# What ./runtests runs: the tests of the build with sanitizers, lint, which of the plain
# build needs libcore.a alone, and make distcheck, which builds a release.  One make
# shares its jobs among them, so that no processor waits while the last test of one runs.
all: asan plain
asan:
	+RUN_SERVICES=1 $(MAKE) -C build-asan check \
	    TESTS="$(asan_tests)" >build-asan-check.log 2>&1 </dev/null
plain:
	-+$(MAKE) -C build-plain check-TESTS TESTS=t/lint.sh \
	    check_PROGRAMS= check_DATA= >build-plain-check.log 2>&1 </dev/null
	+$(MAKE) -C build-plain distcheck \
	    DISTCHECK_CONFIGURE_FLAGS=--enable-werror TESTS="$(plain_tests)" \
	    >build-distcheck.log 2>&1 </dev/null
	touch build-distcheck.passed
