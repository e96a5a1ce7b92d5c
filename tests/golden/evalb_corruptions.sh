#!/bin/sh
# evalb_corruptions.sh BUILD-FOLDER [--record EVALB]: runs evalb on 2,000 corrupted trees with each parameter file, and
# compares the digests of its output and exit status with those of evalb-corruptions.sha256. These are digests of the
# output of EVALB itself (version of 2008-07-01, gcc -O2): --record runs the program EVALB instead and writes them.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
evalb=$build/evalb
if [ "${2:-}" = --record ]; then evalb=$(cd "$(dirname "$3")" && pwd)/$(basename "$3"); fi
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$build/tests/support/corrupt_trees" 2000 7 trees || exit 1
# with DEBUG 2 EVALB crashes on brackets of 1,000 bytes
LC_ALL=C awk 'NR == FNR { gold[NR] = $0; next }
    length(gold[FNR]) < 1000 && length($0) < 1000 { print gold[FNR] > "short.gold"; print > "short.test" }' \
    trees.gold trees.test
prm=$root/tests/golden/evalb/prm
trees=trees
run() {
    name=$1; shift
    "$evalb" "$@" $trees.gold $trees.test > "$name.out" 2> "$name.err"
    echo "exit status $?" >> "$name.err"
}
run defaults -e 100000
run stopped
for p in COLLINS new nk sample; do run $p -p "$prm/$p.prm" -e 100000; done
run debug1 -d -e 100000
run COLLINS-debug1 -p "$prm/COLLINS.prm" -p "$prm/debug1.prm" -e 100000
run quotes -p "$prm/quote.prm" -e 100000
run labels -p "$prm/labels.prm" -e 100000
trees=short
run debug2 -D -e 100000
run quotes-debug2 -p "$prm/quote.prm" -D -e 100000
sha256sum ./*.gold ./*.test ./*.out ./*.err > digests
if [ "${2:-}" = --record ]; then cp digests "$root/tests/golden/evalb-corruptions.sha256"; fi
sha256sum --quiet -c "$root/tests/golden/evalb-corruptions.sha256" || exit 1
echo "$(wc -l < digests) digests as recorded"
