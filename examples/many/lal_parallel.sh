#!/bin/sh
# lal_parallel.sh IN OUT [OPTIONS]: parses each text of a folder with GNU parallel; OPTIONS are those of lal parse.
#
#     sh lal_parallel.sh parts parsed --format json --model base
#     PARALLEL='--jobs 3' sh lal_parallel.sh parts parsed             # 3 at a time
#     PARALLEL='--sshloginfile hosts' sh lal_parallel.sh parts parsed # on the machines that the file hosts names
#
# $LAL is the program, without it the lal of PATH. Machines need it, and both folders under the same names. A part is
# tried three times; those that failed are in OUT/failed.txt with their status, and the exit status is 1 then. Parts
# that have a result are skipped. (parallel's own --resume counts jobs, and a new file in IN would shift the numbers.)
set -eu
[ $# -ge 2 ] && [ -d "$1" ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
in=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
status=0
find "$in" -type f | LC_ALL=C sort |
    parallel --quote --will-cite --retries 3 --joblog "$out/.jobs" \
        "${LAL:-lal}" parse --quiet --threads 1 "$@" --skip-existing --out-dir "$out" -- {} || status=1
awk -F '\t' 'NR > 1 && ($7 || $8) { print $9 "\tstatus " $7 ", signal " $8 }' "$out/.jobs" >"$out/failed.txt"
[ -s "$out/failed.txt" ] || rm "$out/failed.txt"
find "$out" -name '*.tmp-lal*' -delete # what killed programs have left
exit $status
