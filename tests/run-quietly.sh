#!/bin/sh
# run-quietly.sh COMMAND...: runs a test program with a time limit; shows its output only if it fails, and lines that
# begin with "skipped": what it did not test, and why.
# UNDER is an emulator that runs it.
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
# With sanitizers: LeakSanitizer misreads the thread-local memory of libraries that are loaded later, and crashes.
ASAN_OPTIONS=${ASAN_OPTIONS:-intercept_tls_get_addr=0}
export ASAN_OPTIONS
began=$(date +%s)
OPENBLAS_NUM_THREADS=1 timeout "${TEST_LIMIT:-240}" ${UNDER-} "$@" >"$log" 2>&1 </dev/null
status=$?
if [ $status -eq 0 ]; then
    echo "ok    $1 ($(tail -n 1 "$log" | cut -c 1-60)) $(($(date +%s) - began)) s"
    grep '^skipped' "$log" | sort -u | cut -c 1-400 | sed "s|^skipped|skip  $1|"
else
    cat "$log"
    echo "FAIL  $* (status $status)"
fi
exit $status
