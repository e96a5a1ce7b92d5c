#!/bin/sh
# evalb_parity.sh [--record] EVALB FOLDER...: compares the output of every run of FOLDER/runs.tsv (name, exit status,
# arguments) with NAME.out and NAME.err, byte by byte. These were written by EVALB itself (version of 2008-07-01, gcc
# -O2): with --record, the output of the program given is written instead, and only the exit status is compared.
record=no
if [ "$1" = --record ]; then record=yes; shift; fi
evalb=$(cd "$(dirname "$1")" && pwd)/$(basename "$1"); shift
passed=0 failed=0
tab=$(printf '\t')
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
for folder in "$@"; do
    while IFS=$tab read -r name status arguments; do
        # shellcheck disable=SC2086
        (cd "$folder" && "$evalb" $arguments) >"$work/out" 2>"$work/err" </dev/null
        found=$?
        if [ $record = yes ]; then cp "$work/out" "$folder/$name.out"; cp "$work/err" "$folder/$name.err"; fi
        if [ $found -eq "$status" ] && cmp -s "$work/out" "$folder/$name.out" &&
            cmp -s "$work/err" "$folder/$name.err"; then
            passed=$((passed + 1)); echo "ok     $folder/$name"
        else
            failed=$((failed + 1)); echo "FAILED $folder/$name: exit status $found, expected $status"
            diff "$work/out" "$folder/$name.out" | head -n 5; diff "$work/err" "$folder/$name.err" | head -n 5
        fi
    done <"$folder/runs.tsv"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
