#!/bin/bash
# evalb_speed.sh ORIGINAL OURS ARGUMENTS...: runs both programs alternately, five times each, on one processor, and
# prints the median times (user and system, seconds) and the ratio ORIGINAL / OURS. The outputs must be equal.
set -eu
original=$1 ours=$2; shift 2
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%U %S'
one() { # PROGRAM NAME ARGUMENTS...
    program=$1 name=$2; shift 2
    { time taskset -c 0 "$program" "$@" >"$work/$name.out" 2>"$work/$name.err"; } 2>>"$work/$name.times"
}
for _ in 1 2 3 4 5; do
    one "$original" original "$@"
    one "$ours" ours "$@"
done
cmp "$work/original.out" "$work/ours.out"
cmp "$work/original.err" "$work/ours.err"
median() { LC_ALL=C awk '{ print $1 + $2 }' "$work/$1.times" | sort -n | sed -n 3p; }
LC_ALL=C awk -v a="$(median original)" -v b="$(median ours)" \
    'BEGIN { printf "%.2f s, %.2f s: %.1f times\n", a, b, a / b }'
