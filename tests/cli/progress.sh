#!/bin/sh
# progress.sh BUILD-FOLDER: progress on standard error: lines elsewhere, a rewritten line on a terminal, --quiet, notes
# between them, summaries.
. "$(dirname "$0")/harness.sh"
make_toy
export LAL_MODEL=toy.lal LAL_PROGRESS=0

while IFS='|' read -r command line; do
    expect "lal $command" 0 "$lal" $command
    grep -qE "^$line" err || { complain "standard error lacks $line"; cat err; }
    cp out loud
    expect "lal $command --quiet" 0 "$lal" $command --quiet
    [ -s err ] && { complain 'standard error is not empty'; cat err; }
    cmp -s out loud || complain 'the output differs'
    expect "lal $command, a line a minute" 0 env LAL_PROGRESS=60 "$lal" $command
    grep -qE "^$line" err && complain 'there should be no line in the first minute'
done <<'END'
parse text|text: 100 %, 3 sentences, [0-9]+ words/s$
parse --input brackets dev.trees train.trees|dev.trees: [0-9]+ %, [0-9]+ sentences, [0-9]+ words/s, [0-9]+ s left$
parse --input brackets dev.trees train.trees|100 sentences, [0-9]+ words in [0-9]+ s, [0-9]+ words/s$
eval --gold dev.trees --gold-deps dev.conllx|eval: 100 %, 20 of 20 sentences$
inspect heads --gold dev.trees --gr next --most 4|heads: [0-9]+ %, 1 of 4 sentences, [0-9]+ s left$
inspect heads --gold dev.trees --gr next --most 4|heads: 100 %, 4 of 4 sentences$
inspect heads --gold dev.trees --gr next --mask 2|heads: [0-9]+ %, 1 of 20 sentences, heads removed from 1 of 2, [0-9]
inspect heads --gold dev.trees --gr next --mask 2|heads: 100 %, 20 of 20 sentences, heads removed from 2 of 2$
inspect --input brackets --html site dev.trees|dev.trees: 100 %, 20 sentences explained$
convert stats dev.trees train.trees|train.trees: 100 %, 100 sentences$
END
# The removal of heads is most of the work: two of 20 sentences are more than a tenth of it.
name='the share of the work'
"$lal" inspect heads --gold dev.trees --gr next --mask 2 2>&1 >/dev/null |
    awk '/, 2 of 20 sentences/ { share = $2 } END { exit !(share + 0 > 15) }' ||
    complain 'the first sentences should be more of the work than others'
expect 'from a pipe, whose end is unknown' 0 sh -c "cat text | '$lal' parse"
says '-: 3 sentences, '
expect 'an interval that is no number' 0 env LAL_PROGRESS=often "$lal" parse text
[ -s err ] && complain 'it should be a line a minute'
expect 'notes' 0 "$lal" parse --max-words 4 text
says 'was parsed in'
expect 'quiet, without notes' 0 "$lal" parse -q --max-words 4 text
[ ! -s err ] || complain 'it should say nothing'

if command -v script >/dev/null; then
    # LAL_PROGRESS is for other things than terminals, where a line is rewritten twice a second: the text is made longer
    # until parsing it takes long enough for a line.
    line='^many.trees: [0-9]+ %, [0-9]+ sentences, [0-9]+ words/s, [0-9]+ s left'
    for _ in $(seq 400); do cat dev.trees; done >many.trees
    for _ in 1 2 3 4 5; do
        expect 'on a terminal' 0 script -qec "'$lal' parse -j1 --max-words 8 --input brackets many.trees >trees" shown
        tr '\r' '\n' <shown >lines
        if grep -qE "$line" lines; then break; fi
        for _ in 1 2 3; do cat many.trees; done >longer.trees
        mv longer.trees many.trees
    done
    grep -qE "$line" lines || { complain 'it shows no progress'; head -c 500 shown; }
    # Each line of progress is followed by a return, and removed before a note.
    grep -qE 'left.*many.trees:[0-9]+: a sentence' lines && complain 'a note follows on a line of progress'
    expect 'output on a terminal' 0 script -qec "'$lal' parse --input brackets dev.trees" shown
    grep -q '%' shown && complain 'it should show no progress between the trees'
fi

finish
