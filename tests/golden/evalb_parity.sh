#!/bin/sh
# evalb_parity.sh [--record] EVALB FOLDER: compares the output of every run of FOLDER/runs.tsv (name, exit status,
# arguments) with NAME.out and NAME.err, byte by byte; of a long one there is NAME.out.sha256, of an empty one no file,
# and a run NAME=OTHER has the output of another run. These were written by EVALB itself (version of 2008-07-01, gcc
# -O2): with --record, the output of the program given is written instead, and only the exit status is compared.
#
# The files of FOLDER/points stand in points.txt, each after a line "@@ NAME". \0 is a NUL byte, \c at the end of a line
# a line feed that is missing.
record=no
if [ "$1" = --record ]; then record=yes; shift; fi
evalb=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$2
passed=0 failed=0
tab=$(printf '\t')
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cp -r "$folder" "$work/all"
mkdir "$work/all/points"
LC_ALL=C awk -v points="$work/all/points/" '
    /^@@ / { close(file); file = points $2; printf "" >file; next }
    { end = sub(/\\c$/, "") ? "" : "\n"; n = split($0, part, /\\0/)
      for (k = 1; k < n; k++) printf "%s%c", part[k], 0 >file
      printf "%s%s", part[n], end >file }' "$folder/points.txt"
save() { # copies all recorded files back
    rm -f "$folder"/*.out* "$folder"/*.err*
    cp "$work"/all/*.out* "$work"/all/*.err* "$folder"
    for f in "$work"/all/points/*; do
        echo "@@ ${f##*/}"
        LC_ALL=C sed 's/\x00/\\0/g' "$f"
        [ "$(tail -c 1 "$f" | wc -l)" -eq 1 ] || [ ! -s "$f" ] || printf '\\c\n'
    done >"$folder/points.txt"
}
sum() { sha256sum <"$1" | cut -d' ' -f1; }
put() { # FOUND RECORDED
    if [ -e "$2.sha256" ]; then sum "$1" >"$2.sha256"
    elif [ -s "$1" ]; then cp "$1" "$2"
    else rm -f "$2"; fi
}
same() {
    if [ -e "$2.sha256" ]; then [ "$(sum "$1")" = "$(cat "$2.sha256")" ]
    elif [ -e "$2" ]; then cmp -s "$1" "$2"
    else [ ! -s "$1" ]; fi
}
while IFS=$tab read -r name status arguments; do
    want=$work/all/${name#*=}
    (cd "$work/all" && "$evalb" $arguments) >"$work/out" 2>"$work/err" </dev/null
    found=$?
    if [ $record = yes ]; then put "$work/out" "$want.out"; put "$work/err" "$want.err"; fi
    if [ $found -eq "$status" ] && same "$work/out" "$want.out" && same "$work/err" "$want.err"; then
        passed=$((passed + 1)); echo "ok     $name"
        continue
    fi
    failed=$((failed + 1)); echo "FAILED $name: exit status $found, expected $status"
    for f in out err; do
        if [ -e "$want.$f.sha256" ]; then sum "$work/$f" | diff - "$want.$f.sha256"
        else diff -N "$work/$f" "$want.$f" | head -n 5; fi
    done
done <"$folder/runs.tsv"
[ $record = no ] || save
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
