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
    timeout "${TEST_LIMIT:-120}" "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq "$want" ] || { complain "exit status $status, expected $want"; cat err; }
}
says() { grep -qF -- "$1" err || { complain "standard error lacks: $1"; cat err; }; }
prints() { grep -qF -- "$1" out || { complain "standard output lacks: $1"; head -c 2000 out; }; }
silent() { [ ! -s out ] || { complain "standard output is not empty"; head -c 500 out; }; }
lines() { [ "$(wc -l <out)" -eq "$1" ] || complain "$(wc -l <out) lines of output, expected $1"; }
absent() { [ ! -e "$1" ] || complain "$1 was not removed"; }
no_leftovers() {
    # shellcheck disable=SC2044
    for f in $(find . -name '*.tmp*' -o -name '*.lal-lock'); do complain "$f was not removed"; rm -f "$f"; done
}

# of_page FILE EXPRESSION: is it true of x, what a document of pages (data/NAME.js) has?
of_page() {
    python3 -c 'import json, sys
text = open(sys.argv[1]).read()
x = json.loads(text[text.index(",") + 1:text.rindex(")")])
sys.exit(not eval(sys.argv[2]))' "$@"
}

# The last lines of a script: its figures and exit status.
# all_commands: the names of all commands, also of those of groups, a line each.
all_commands() {
    for group in $("$lal" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
        echo "$group"
        "$lal" help "$group" | sed -n 's/^  lal \([a-z]* [a-z]*\)  .*/\1/p'
    done
}

finish() { echo "$checks runs, $failed complaints"; [ $failed -eq 0 ]; }

# Options of a model that can be trained in a second.
tiny="--d-model 32 --n-layers 1 --n-heads 2 --d-kv 16 --d-ff 48 --n-label-heads 6 --lal-d-kv 8 --lal-d-proj 8
      --d-label-hidden 24 --d-arc 24 --d-type 12 --d-tag-hidden 16 --affix-buckets 50 --word-min-count 1
      --batch-size 20 --epochs 2 --warmup 7 --no-lal-linked"
data="--train train.trees --train-deps train.conllx --dev dev.trees --dev-deps dev.conllx --name toy"

train_toy() {
    "$build/tests/support/make_treebank" 80 1 train && "$build/tests/support/make_treebank" 20 2 dev || return 1
    printf 'The \303\266ld parser reads every tree. It never (really) sees\nthe river!\n\nTrees of heads.\n' >text
    "$lal" train $data $tiny --out toy.lal 2>err || { cat err; return 1; }
    rm -f toy.lal.ckpt err
}

# Copies into this folder treebanks of 80 and 20 sentences (train and dev, .trees and .conllx; options in $data), a
# model trained on them (toy.lal), and a text. The first script after a build makes them, in the build folder; others
# wait for it.
make_toy() {
    toy=$build/tests/cli
    mkdir -p "$toy"
    (
        flock 9
        [ "$toy/toy.lal" -nt "$lal" ] && [ "$toy/toy.lal" -nt "$root/tests/cli/harness.sh" ] || (cd "$toy" && train_toy)
    ) 9>"$toy.lock" || exit 1
    cp "$toy"/* .
}
