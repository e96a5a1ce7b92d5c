#!/bin/sh
# evalb_corruptions.sh BUILD-FOLDER [--record]: 2,000 corrupted trees through evalb under each parameter file; digests of what it prints and its exit status must be those of
# evalb-corruptions.sha256. They were recorded from this program when it gave EVALB's bytes in all runs of tests/golden/evalb; --record writes them anew.
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$build/tests/support/corrupt_trees" 2000 7 trees || exit 1
prm=$root/tests/golden/evalb/prm
run() {
    name=$1; shift
    "$build/evalb" "$@" trees.gold trees.test > "$name.out" 2> "$name.err"
    echo "exit status $?" >> "$name.err"
}
run defaults -e 100000
run stopped
for p in COLLINS new nk sample; do run $p -p "$prm/$p.prm" -e 100000; done
run debug1 -d -e 100000
run debug2 -D -e 100000
run COLLINS-debug1 -p "$prm/COLLINS-debug1.prm" -e 100000
sha256sum ./*.gold ./*.test ./*.out ./*.err > digests
if [ "${2:-}" = --record ]; then cp digests "$root/tests/golden/evalb-corruptions.sha256"; fi
sha256sum --quiet -c "$root/tests/golden/evalb-corruptions.sha256" || exit 1
echo "$(wc -l < digests) digests as recorded"
