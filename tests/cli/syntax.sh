#!/bin/sh
# syntax.sh BUILD-FOLDER: where masks have their parses from, from the command line: models of each source, their scores
# and outputs, and `lal train --folds`.
. "$(dirname "$0")/harness.sh"
make_toy

# source NAME JSON...: options with masks that read parses, of this source
source_of() {
    printf '{"encoder_options": {"heads": [{"heads": [0], "pattern": "dep_syn", "use": "mask"},
        {"stack": "label", "heads": [0, 1], "pattern": "maj_rel", "use": "mask"}], "syntax": %s}}\n' "$2" >"$1.json"
}
# expect_train NAME STATUS FILE OPTIONS...: FILE.lal with the options of FILE.json
expect_train() {
    as=$1 want=$2 file=$3
    shift 3
    expect "$as" "$want" "$lal" train $data $tiny --encoder-options "$file.json" --out "$file.lal" "$@"
}

# ---- folds: parses of the training sentences, stopped and continued
folds="$data $tiny --seed 3 --folds 4"
expect 'folds' 0 "$lal" train $folds --fold-parses whole.conllx --threads 1
says 'fold 4 of 4'
says 'parses of the training sentences written to whole.conllx'
for f in whole.conllx.fold*; do absent "$f"; done
expect 'folds that are stopped' 1 "$lal" train $folds --fold-parses part.conllx --stop-at-step 4
says 'stopped in fold 1 of 4; the same command continues'
expect 'folds that are continued' 0 "$lal" train $folds --fold-parses part.conllx --threads 2
says 'fold 1 of 4, continued'
name='folds that were stopped'; cmp whole.conllx part.conllx || complain 'other parses than of an uninterrupted run'
[ "$(grep -c '^1	' whole.conllx)" -eq 80 ] || complain 'expected 80 sentences'
cut -f 2 train.conllx | sed '/^$/d' >gold.words && cut -f 2 whole.conllx | sed '/^$/d' | cmp - gold.words ||
    complain 'the words are not those of the treebank, in its order'
expect 'parses that are there' 2 "$lal" train $folds --fold-parses whole.conllx
says '--fold-parses: whole.conllx exists, expected a new file'
expect 'folds without a file' 2 "$lal" train $folds
says '--folds: expected --fold-parses FILE'
expect 'one fold' 2 "$lal" train $data $tiny --folds 1 --fold-parses x.conllx
says '--fold-parses: found --folds 1, expected at least 2'
expect 'trees of folds' 0 "$lal" train $data $tiny --seed 3 --folds 2 --fold-parses trees.jsonl --quiet
lines 0
[ "$(wc -l <trees.jsonl)" -eq 80 ] || complain 'expected 80 lines'

# ---- first_pass: the model lies beside the other one, wherever both are
mkdir models && mv toy.lal models/plain.lal
source_of first '{"source": "first_pass", "model": "plain.lal", "train_file": "whole.conllx"}'
expect_train 'first_pass without its model' 1 first
says 'first.lal: the model of the first pass (syntax.model): found no file plain.lal'
says ', neither in the folder of this file nor as named'
cp models/plain.lal plain.lal
expect_train 'first_pass' 0 first
mv first.lal models/first.lal && rm plain.lal
expect 'parsing with it' 0 "$lal" parse -m models/first.lal text
lines 3
expect 'its scores' 0 "$lal" eval -m models/first.lal --gold dev.trees --gold-deps dev.conllx
mv models/plain.lal models/other.lal
expect 'parsing without the other model' 1 "$lal" parse -m models/first.lal text
says 'models/first.lal: the model of the first pass (syntax.model): found no file plain.lal'
silent
expect 'it can be looked at' 0 "$lal" model info -m models/first.lal
prints '"model": "plain.lal"'

mv models/other.lal models/plain.lal
source_of gated '{"source": "first_pass", "model": "plain.lal", "train_file": "whole.conllx"},
    "gates": {"kind": "constant", "constant": [1, 0]}'
cp models/plain.lal plain.lal
expect_train 'masks of a first pass, and gates' 0 gated
expect 'without the closed heads' 0 "$lal" model prune --model gated.lal --gold dev.trees --gold-deps dev.conllx \
    --out small.lal
prints 'equal on 20 sentences'
rm plain.lal

# ---- trees of parses, by folds and by the first pass
printf '{"encoder_options": {"heads": [{"heads": [1], "pattern": "intra_span/max_len=4", "use": "mask",
    "source": "first_pass"}], "syntax": {"model": "models/plain.lal", "train_file": "trees.jsonl"}}}\n' >trees.json
expect_train 'masks that read trees' 0 trees
expect 'parsing with it' 0 "$lal" parse -m trees.lal text
lines 3
expect_train 'trees of a file without them' 1 trees \
    --encoder-options '{"encoder_options": {"syntax": {"train_file": "whole.conllx"}}}'
says 'whole.conllx:1: a sentence without a tree, which a pattern needs'

# ---- targets of guidance that no training sentence has
# no_target ENTRY MESSAGE
no_target() {
    printf '{"encoder_options": {"heads": [{"heads": [0], "use": "guide", "source": "gold", %s}]}}\n' "$1" >target.json
    expect "guidance by $1" 1 "$lal" train --train train.trees --dev dev.trees $tiny \
        --encoder-options target.json --out target.lal
    says "encoder_options.heads[0].$2"
    absent target.lal
}
no_target '"pattern": "dep_head"' 'pattern: no training sentence has dependencies, of which "dep_head" is made'
no_target '"stack": "label", "pattern": "label_span", "labels": ["XYZ"]' \
    'labels: no training sentence has a phrase "XYZ"'

# ---- self
source_of self '{"source": "self"}'
expect_train 'self' 0 self --epochs 3 --stop-at-step 0
expect 'parsing with it' 0 "$lal" parse -m self.lal text
lines 3

# ---- file
source_of file '{"source": "file", "train_file": "whole.conllx", "dev_file": "dev.conllx"}'
expect_train 'file' 0 file
expect 'text' 1 "$lal" parse -m file.lal text
expect 'scores without parses' 1 "$lal" eval -m file.lal --gold dev.trees
says 'this model reads parses of a file (syntax.source "file"), expected --syntax-file FILE'
expect 'scores' 0 "$lal" eval -m file.lal --gold dev.trees --syntax-file dev.conllx
expect 'parses' 0 "$lal" parse -m file.lal --input brackets --syntax-file dev.conllx dev.trees
lines 20
sed '3s/	[^	]*/	cannot/' dev.conllx >wrong.conllx
word=$(sed -n 3p dev.conllx | cut -f 2)
expect 'scores with other parses' 1 "$lal" eval -m file.lal --gold dev.trees --syntax-file wrong.conllx
says "wrong.conllx:3: word 'cannot', treebank has '$word'"
expect 'parses of other words' 1 "$lal" parse -m file.lal --input brackets --syntax-file wrong.conllx dev.trees
says "wrong.conllx:3: word 'cannot', treebank has '$word'"
head -30 dev.trees >/dev/null; head -10 dev.trees >ten.trees
expect 'too many parses' 1 "$lal" parse -m file.lal --input brackets --syntax-file dev.conllx ten.trees
says 'found 20 sentences, the input has 10'
cat dev.trees ten.trees >more.trees
expect 'too few parses' 1 "$lal" parse -m file.lal --input brackets --syntax-file dev.conllx more.trees
says 'dev.conllx: found 20 sentences, the input has more'
expect 'a file for another model' 2 "$lal" parse -m self.lal --syntax-file dev.conllx text
says '--syntax-file: the masks of the model do not read parses of files'

# ---- gold: every line with a score says what it is
source_of gold '{"source": "gold"}'
expect 'folds beside gold masks, which they do not have' 0 "$lal" train $data $tiny --epochs 1 \
    --encoder-options gold.json --folds 2 --fold-parses of_gold.conllx
grep ORACLE err && complain 'folds are no oracles'
expect_train 'gold' 0 gold --log gold.jsonl
python3 "$root/recipes/plot_log.py" gold.jsonl | grep -q '>ORACLE: 2 checks' ||
    complain 'the picture does not say ORACLE'
says 'ORACLE run: masks read gold syntax (heads[0], heads[1])'
[ "$(grep -c '^ORACLE epoch ' err)" -eq 2 ] || { complain 'a check does not say ORACLE'; cat err; }
grep -q '^ORACLE trained 2 epochs' err || { complain 'the end does not say ORACLE'; cat err; }
grep ' F1 ' err | grep -v '^ORACLE ' && complain 'a score without ORACLE'
[ "$(grep -c '^{"oracle": true, ' gold.jsonl)" -eq 2 ] || complain 'a line of the log does not say oracle'
expect 'its scores' 0 "$lal" eval -m gold.lal --gold dev.trees --gold-deps dev.conllx --report
grep -v '^ORACLE ' out && complain 'a line without ORACLE'
expect 'as JSON' 0 "$lal" eval -m gold.lal --gold dev.trees --gold-deps dev.conllx --format json
prints '{"oracle": true, "sentences": 20'
expect 'as a table' 0 "$lal" eval -m gold.lal --gold dev.trees --gold-deps dev.conllx --format tsv
grep -v '^ORACLE	' out && complain 'a line without ORACLE'
measure="$lal inspect heads -m gold.lal --gold dev.trees --gold-deps dev.conllx --gr next --most 3"
expect 'its heads' 0 $measure --show 1:1
says 'ORACLE 3 sentences, '
grep -q '^ORACLE 1:1  ' out && grep -q '^ORACLE next  ' out || complain 'no measures'
grep -v '^ORACLE ' out && complain 'a line without ORACLE'
expect 'its heads as a table' 0 $measure --format tsv
grep -v '^ORACLE	' out && complain 'a line without ORACLE'
expect 'its heads as JSON' 0 $measure --format json
prints '{"oracle": true, "sentences": 3'
expect 'a page of its heads' 0 $measure --html gold.pages
of_page gold.pages/data/heads.js 'x["oracle"]' || complain 'the page does not say ORACLE'
expect 'heads of a model that is no oracle' 0 "$lal" inspect heads -m self.lal --gold dev.trees --gr next --most 3
grep ORACLE out err && complain 'an oracle'
source_of goldgates '{"source": "gold"}, "gates": {"kind": "constant", "constant": [1, 0]}'
expect_train 'gold and gates' 0 goldgates
expect 'without the closed heads' 0 "$lal" model prune -m goldgates.lal --gold dev.trees --gold-deps dev.conllx \
    --out small.lal
[ "$(grep -c '^ORACLE .* F1 ' out)" -eq 3 ] || { complain 'a score does not say ORACLE'; cat out; }
grep ' F1 ' out | grep -v '^ORACLE ' && complain 'a score without ORACLE'
expect 'text' 1 "$lal" parse -m gold.lal text
says 'this model reads gold syntax (oracle) and cannot parse text'
expect 'scores of files are no oracle' 0 "$lal" eval --gold dev.trees --pred dev.trees
grep ORACLE out && complain 'an oracle'
no_leftovers
finish
