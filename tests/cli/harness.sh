# tests/cli/harness.sh: sourced by the scripts of this folder, whose first argument is the build folder. Each script
# works in a temporary folder of its own.
# shellcheck shell=sh
set -u
build=$(cd "$1" && pwd)
lal=$build/lal
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0 checks=0

complain() { echo "$name: $*"; failed=$((failed + 1)); }

# expect NAME STATUS COMMAND...: runs COMMAND, with standard output in ./out and standard error in ./err, and checks its
# exit status.
expect() {
    name=$1 want=$2; shift 2
    checks=$((checks + 1))
    timeout 120 "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq "$want" ] || { complain "exit status $status, expected $want"; cat err; }
}
says() { grep -qF -- "$1" err || { complain "standard error lacks: $1"; cat err; }; }
prints() { grep -qF -- "$1" out || { complain "standard output lacks: $1"; head -c 2000 out; }; }
silent() { [ ! -s out ] || { complain "standard output is not empty"; head -c 500 out; }; }
lines() { [ "$(wc -l <out)" -eq "$1" ] || complain "$(wc -l <out) lines of output, expected $1"; }
absent() { [ ! -e "$1" ] || complain "$1 was not removed"; }
no_leftovers() { for f in $(find . -name '*.tmp*'); do complain "$f was not removed"; rm -f "$f"; done; }

# Options of a model that can be trained in a second.
tiny="--d-model 32 --n-layers 1 --n-heads 2 --d-kv 16 --d-ff 48 --n-label-heads 6 --lal-d-kv 8 --lal-d-proj 8
      --d-label-hidden 24 --d-arc 24 --d-type 12 --d-tag-hidden 16 --affix-buckets 50 --word-min-count 1
      --batch-size 20"

# Creates a treebank (train.trees and train.conllx, options in $data), a model trained on it (toy.lal), and a text.
make_toy() {
    "$build/tests/support/make_treebank" 20 1 train || exit 1
    data="--train train.trees --train-deps train.conllx --dev train.trees --dev-deps train.conllx"
    # shellcheck disable=SC2086
    "$lal" train $data $tiny --epochs 1 --out toy.lal 2>err || { cat err; exit 1; }
    echo 'The king sees every river. It never (really) likes the trees that she reads!' >text
}
