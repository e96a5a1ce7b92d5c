#!/bin/sh
# translate.sh BUILD-FOLDER: `lal train --task translate` and `lal translate`: training, resuming, translation of files
# and standard input, scores of the output, messages.
. "$(dirname "$0")/harness.sh"
make_toy

# Pairs of a language whose words have one translation each, in the other order: $2 lines to $1.en and $1.de, others for
# each seed $3.
make_pairs() {
    awk -v n="$2" -v x="$3" -v name="$1" 'function draw(n) { x = (x * 75 + 74) % 65537; return x % n }
        BEGIN {
            split("red dog sees we old cat", source); split("rot hund sieht wir alt katze", target)
            for (k = 0; k < n; k++) {
                a = b = ""
                for (i = draw(3); i >= 0; i--) {
                    w = 1 + draw(6)
                    a = a " " source[w]; b = " " target[w] b
                }
                print substr(a, 2) "!" >(name ".en"); print substr(b, 2) "." >(name ".de")
            }
        }'
}
make_pairs train 300 1
make_pairs dev 20 2
make_pairs test 30 3
small="--d-model 32 --n-layers 1 --n-heads 2 --d-kv 16 --d-ff 64 --decoder-layers 1 --pieces 60 --attention-dropout 0
    --relu-dropout 0 --residual-dropout 0 --embedding-dropout 0 --batch-size 20 --warmup 20 --lr 0.01 --average 0"
pairs="--train train.en --target train.de --dev dev.en --dev-target dev.de"

# ---- training
expect 'training' 0 "$lal" train --task translate $pairs $small --epochs 20 --out a.lal --log a.jsonl --threads 2
says '300 sentences (0 longer than 120 words left out)'
says 'dev.en nll '
says 'written to a.lal'
grep -q '"dev": {"dev.en": {"pieces": [0-9]*, "nll": 0\.' a.jsonl || complain 'the log lacks the loss of dev'
grep -q '"loss": {"smoothed": [0-9.]*, "nll": ' a.jsonl || complain 'the log lacks the losses of training'
expect 'one thread' 0 "$lal" train --task translate $pairs $small --epochs 2 --out one.lal --threads 1
expect 'stopping' 1 "$lal" train --task translate $pairs $small --epochs 2 --out part.lal --stop-at-step 13
says 'continue with --resume part.lal.ckpt'
expect 'resuming' 0 "$lal" train --resume part.lal.ckpt --threads 2
for m in one part; do
    expect "the model $m" 0 "$lal" translate --model $m.lal --format json test.en
    mv out $m.json
done
cmp one.json part.json || complain 'a resumed run gave another model'
expect 'what it is' 0 "$lal" model info -m a.lal
prints 'task        translate'
prints ' decoder_layers=1'
grep -q '^  dev.en: [0-9]* pieces, nll 0\.' out || complain 'the scores of dev are missing'
expect 'the encoder of another model' 0 "$lal" train --task translate $pairs --init a.lal --epochs 1 --batch-size 20 \
    --out from.lal
expect 'several files' 0 "$lal" train --task translate --train train.en --target train.de --train dev.en \
    --target dev.de $small --epochs 1 --out two.lal --quiet
[ -s err ] && complain 'it should say nothing'

# ---- translation
# learnt FILE: are most of its lines right?
learnt() {
    [ "$(diff "$1" test.de | grep -c '^<')" -le 6 ] || { complain 'the language is not learnt'; diff "$1" test.de; }
}
expect 'a file' 0 "$lal" translate -m a.lal test.en
lines 30
learnt out
mv out a.de
expect 'standard input' 0 sh -c "'$lal' translate -m a.lal --threads 3 --out b.de <test.en && cmp a.de b.de"
silent
expect 'two files' 0 "$lal" translate -m a.lal test.en dev.en
lines 50
head -n 30 out | cmp -s - a.de || complain 'the first lines should be the translation of the first file'
printf 'red dog!\n\n \t \nwe!\r\n\nold cat!' >gaps
expect 'empty lines' 0 "$lal" translate -m a.lal gaps
[ "$(sed 's/..*/x/' out | tr '\n' ,)" = x,,,x,,x, ] || { complain 'empty lines should stay'; cat out; }
: >nothing
expect 'an empty file' 0 "$lal" translate -m a.lal nothing
silent
expect 'the next piece alone' 0 "$lal" translate -m a.lal --beam 1 test.en
learnt out
expect 'many outputs' 0 "$lal" translate -m a.lal --beam 50 --length-penalty 0 test.en
lines 30
awk 'BEGIN { for (k = 0; k < 600; k++) printf "dog "; print "" }' >long
expect 'a long line' 0 "$lal" translate -m a.lal --beam 1 long long
lines 2
says 'of 2 lines the first 500 pieces were read'
expect 'JSON lines' 0 "$lal" translate -m a.lal -f json gaps
lines 6
prints '{"id": 1, "text": "'
prints '{"id": 2, "text": "", "pieces": [], "source": [], "log_probability": 0, "score": 0}'
name='JSON lines'
${PYTHON:-python3} - <<'END' || complain 'they should be JSON, with a place in the source for each piece'
import json
for n, line in enumerate(open("out", encoding="utf-8"), 1):
    x = json.loads(line)
    assert x["id"] == n and len(x["pieces"]) == len(x["source"]), x
    assert all(0 <= k <= 10 for k in x["source"]) and x["log_probability"] <= x["score"] <= 0, x
    pieces = [p for p in x["pieces"] if p != "<STOP>"]
    assert "".join(pieces).replace("\u2581", " ").strip() == x["text"], x
END
gzip -k test.en
expect 'a compressed file' 0 "$lal" translate -m a.lal test.en.gz
cmp -s out a.de || complain 'it should be the translation of the text in it'
expect 'BLEU' 0 "$lal" eval --measure bleu --gold a.de --pred a.de --pred test.de
prints 'a: a.de, b: test.de'
expect 'in 8 bits' 0 "$lal" model quantize -m a.lal -o i8.lal
expect 'translation in 8 bits' 0 "$lal" translate -m i8.lal test.en
learnt out

# ---- models of other tasks
expect 'parsing with it' 1 "$lal" parse -m a.lal test.en
says 'a.lal: found a model that translates (lal translate), expected a model that parses (lal parse)'
expect 'classifying with it' 1 "$lal" classify -m a.lal test.en
says 'a.lal: found a model that translates (lal translate), expected a model that classifies'
expect 'translating with a parser' 1 "$lal" translate -m toy.lal test.en
says 'toy.lal: found a model that parses (lal parse), expected a model that translates (lal translate)'
for c in 'inspect --model a.lal test.en' 'bench --model a.lal --only load'; do
    expect "lal $c" 1 "$lal" $c
    says 'a.lal: found a model that translates'
done
expect 'scoring as a parser' 1 "$lal" eval -m a.lal --gold dev.trees
says 'a.lal: found a model of the task translate, expected one that parses or classifies sentences'
expect 'the words of a parser' 2 "$lal" train --task translate $pairs --init toy.lal --out no.lal
says '--init toy.lal: found a model whose words are no subwords, expected one that translates'

# ---- heads
expect 'gates' 0 "$lal" train --task translate $pairs $small --epochs 2 --out gated.lal --encoder-options \
    '{"encoder_options": {"gates": {"kind": "constant", "stacks": ["self", "decoder", "cross"],
      "constant": [1, 0, 0, 1, 0, 0], "start_from": "a.lal"}}}'
expect 'pruning' 0 "$lal" model prune -m gated.lal -o small.lal --gold dev.en --gold-target dev.de
prints '2 of 6 heads open'
prints 'layer 0 keeps  0'
prints 'decoder 0 keeps 1'
prints 'cross 0 keeps   no head'
prints 'equal on 20 sentences: the same translations'
prints 'pruned          BLEU '
"$lal" translate -m gated.lal -o c.de test.en
expect 'the smaller model' 0 "$lal" translate -m small.lal test.en
cmp -s out c.de || complain 'it should write the same'
expect 'nothing attends to the source' 0 "$lal" translate -m small.lal --format json test.en
prints '"source": []'
expect 'pruning without translations' 2 "$lal" model prune -m gated.lal -o no.lal --gold dev.en
says 'found no --gold-target, expected --gold and --gold-target for a model that translates'
expect 'pruning without gates' 1 "$lal" model prune -m a.lal -o no.lal --gold dev.en --gold-target dev.de
says 'the model has no gates on its heads'
roles='{"encoder_options": {"heads": [
    {"stack": "self", "layers": "all", "heads": [0], "pattern": ["dep_syn", "rare_w"], "use": "mask"},
    {"stack": "self", "layers": "all", "heads": [1], "pattern": "match_token", "use": "guide"}]'
expect 'roles' 0 "$lal" train --task translate $pairs $small --epochs 2 --out roles.lal --threads 2 --encoder-options \
    "$roles, \"syntax\": {\"source\": \"first_pass\", \"model\": \"toy.lal\"}}}"
expect 'translation with parses' 0 "$lal" translate -m roles.lal -o two.de --threads 2 test.en
expect 'with one thread' 0 "$lal" translate -m roles.lal --threads 1 test.en
cmp -s out two.de || complain 'threads should not matter'
mv toy.lal away.lal
expect 'without the model of the first pass' 1 "$lal" translate -m roles.lal test.en
says 'found no file toy.lal'
silent
mv away.lal toy.lal
masks='{"encoder_options": {"heads": [
    {"stack": "decoder", "layers": "all", "heads": [0], "pattern": ["prev", "match_token"], "use": "mask"},
    {"stack": "decoder", "layers": "all", "heads": [1], "pattern": "rel_pos", "use": "guide"},
    {"stack": "cross", "layers": "all", "heads": [1], "pattern": ["maj_rel", "rare_w"], "use": "mask"}],
  "syntax": {"source": "first_pass", "model": "toy.lal"}}}'
expect 'masks of the decoder' 0 "$lal" train --task translate $pairs $small --epochs 2 --out masks.lal --threads 2 \
    --log masks.jsonl --encoder-options "$masks"
grep -q '"guidance": 0\.' masks.jsonl || complain 'the log lacks the guidance of the decoder'
expect 'translation with masks of the decoder' 0 "$lal" translate -m masks.lal -o two.de --threads 2 test.en
expect 'with one thread' 0 "$lal" translate -m masks.lal --threads 1 test.en
cmp -s out two.de || complain 'threads should not matter'
expect 'what acts on the decoder' 0 "$lal" model info -m masks.lal
prints '"stack": "cross"'
expect 'reports of masks' 0 "$lal" inspect heads -m masks.lal --gold test.en --gold-target test.de
prints 'mask prev + match_token'
prints 'guide rel_pos'
prints 'mask maj_rel + rare_w'
sed -n '/^## In a decoder/,/^## In a pretrained/p' "$root/docs/OPTIONS.md" | sed -n '/^```json/,/^```$/p' |
    sed '/^```/d' >example.json
expect 'the example of the documents' 0 "$lal" train --task translate $pairs $small --n-heads 4 --d-kv 8 --epochs 1 \
    --out example.lal --encoder-options example.json

# ---- what heads do
# conllx: the words of lines of standard input, each but the first with the head 1
conllx() {
    sed 's/!$/ !/' | awk '{ for (k = 1; k <= NF; k++)
        printf("%d\t%s\t_\tX\tX\t_\t%d\t%s\t_\t_\n", k, $k, (k > 1), k > 1 ? "amod" : "root"); print "" }'
}
conllx <test.en >test.conllx
conllx <dev.en >dev.conllx
gold="--gold test.en --gold-target test.de"
# right WHAT HEADS...: the JSON of out has these heads, and shares of relevance that sum to 1 in each layer, or 0 in an
# encoder that nothing attends to
right() {
    name=$1
    shift
    ${PYTHON:-python3} - "$@" <<'END' || complain 'the report is wrong'
import json, math, sys
x = json.load(open("out", encoding="utf-8"))
names = [h["head"] for h in x["heads"]]
assert names == sys.argv[1:], names
assert x["sentences"] == x["losses"] == 30, x
assert x["conservation_error"] < 1e-3, x
for s in x["stacks"]:
    own = [h for h in x["heads"] if h["stack"] == s["stack"]]
    assert len(own) == s["heads"] and s["layers"] == 1 and s["queries"] > 30, s
    reached = s["stack"] != "encoder" or "cross:1:1" in names
    assert not own or math.isclose(sum(h["relevance_share_pieces"] for h in own), reached, abs_tol=1e-5), own
    assert all(0 < h["confidence"] <= 1 and h["gate"] >= 0 and 0 <= h["self"] <= 1 for h in own), own
    related = s["stack"] == "encoder" and x["relations"]["nsubj_to_head"]["queries"] > 0
    assert all((h["nsubj_to_head"] is not None) == related for h in own), own
    assert all((h["gr:next"] is None) == (s["stack"] != "encoder") for h in own), own
    assert s["stack"] != "decoder" or all(h["next"] is None for h in own), own # no query sees the next piece
END
}
expect 'what heads do' 0 "$lal" inspect heads -m a.lal $gold --train train.en --parser toy.lal --mask 2 --format json
says '30 pairs, '
says ' 6 heads, conservation_error '
right 'what heads do' encoder:1:1 encoder:1:2 decoder:1:1 decoder:1:2 cross:1:1 cross:1:2
grep -q '"masking": ' out || complain 'no head was removed'
expect 'heads with parses' 0 "$lal" inspect heads -m a.lal $gold --gold-deps test.conllx
prints 'decoder:1:2 '
prints '  pieces  previous  next  rarest  functions'
prints 'heads of the encoder, between words'
expect 'relations' 0 "$lal" inspect heads -m a.lal $gold --gold-deps test.conllx --format json --importance none
prints "\"amod_to_head\": {\"queries\": $(grep -c amod test.conllx), "
expect 'fewer pairs' 0 "$lal" inspect heads -m a.lal $gold --most 3 --importance none --format tsv
lines 7
says '3 pairs, '
expect 'heads with gates' 0 "$lal" inspect heads -m gated.lal $gold
grep -q '^encoder:1:1 .* gate 1 ' out || complain 'the gate of a head is missing'
grep -q '^cross:1:2 .* gate 0 ' out || complain 'the gate of a closed head is missing'
expect 'heads that are left' 0 "$lal" inspect heads -m small.lal $gold --format json
right 'heads that are left' encoder:1:1 decoder:1:2
expect 'attention of heads' 0 "$lal" inspect heads -m a.lal $gold --importance none --show encoder:1:2 \
    --show decoder:1:1 --show cross:1:2
for h in encoder:1:2 decoder:1:1 cross:1:2; do
    [ "$(grep -c "^$h in sentence [1-5]:" out)" = 5 ] || complain "five pairs of $h should be shown"
done
grep -A 1 '^decoder:1:1 in sentence' out | grep -q 'STOP' && complain 'STOP is not yet written'
[ "$(sed -n '/^cross:1:2 in sentence 5:/,$p' out | grep -c '^  STOP  ')" = 1 ] || complain 'STOP should be written last'
expect 'a head that is not there' 2 "$lal" inspect heads -m a.lal $gold --show decoder:1:3
says "--show: found 'decoder:1:3', expected a head of the model, such as encoder:1:2"
expect 'heads without translations' 2 "$lal" inspect heads -m a.lal --gold test.en
says 'found no --gold-target, expected --gold and --gold-target for a model that translates'
expect 'trees for heads of a translation' 2 "$lal" inspect heads -m a.lal --gold-deps test.conllx
says 'found no --gold, expected --gold and --gold-target for a model that translates'
expect 'translations for heads of a parser' 2 "$lal" inspect heads -m toy.lal $gold
says '--gold-target: found a model that parses (lal parse), expected a model that translates (lal translate)'
expect 'a page of heads of a translation' 0 "$lal" inspect heads -m a.lal $gold --html site
of_page site/data/heads.js 'x["report"]["heads"][x["attention"][-1]["head"]]["head"].startswith("cross:1:")' ||
    complain 'no attention to the source'
of_page site/data/heads.js 'x["layers"][-1]["group"] == "cross"' || complain 'no row of the decoder in the maps'
expect 'names of heads of a translation' 2 "$lal" inspect heads -m a.lal $gold --name-heads x.lal
says '--name-heads: found a model that translates (lal translate), expected a model that parses (lal parse)'
expect 'fewer parses' 1 "$lal" inspect heads -m a.lal $gold --gold-deps dev.conllx
says 'dev.conllx:1:1: found 20 sentences, expected 30, one for each pair of texts'
expect 'parses of two kinds' 2 "$lal" inspect heads -m a.lal $gold --gold-deps test.conllx --parser toy.lal
says 'found --parser and --gold-deps, expected one of them'
expect 'another parser' 1 "$lal" inspect heads -m a.lal $gold --parser a.lal
says 'a.lal: found a model that translates (lal translate), expected a model that parses (lal parse)'

# ---- messages
expect 'no model' 2 "$lal" translate test.en
says 'found no --model, expected one'
expect 'a model that is not there' 1 "$lal" translate -m none.lal test.en
says 'none.lal: cannot open'
expect 'a file that is not there' 1 "$lal" translate -m a.lal none.en
says 'none.en: cannot open'
expect 'a beam of nothing' 2 "$lal" translate -m a.lal --beam 0 test.en
says '--beam: found 0, expected'
expect 'another format' 2 "$lal" translate -m a.lal --format xml test.en
says "--format: found 'xml', expected one of text|json"
expect 'an option of parsing' 2 "$lal" translate -m a.lal --max-words 3 test.en
says "unknown option '--max-words'"
printf 'red dog!\nold \377cat!\n' >bad
expect 'bytes that are not UTF-8' 1 "$lal" translate -m a.lal bad
says 'bad:2:5: found bytes that are not UTF-8'
awk 'BEGIN { for (k = 0; k < 300000; k++) printf "dog "; print "" }' >huge
expect 'a huge line' 1 "$lal" translate -m a.lal huge
says 'huge:1:1: found a line of more than 1048576 bytes'
expect 'no translations' 2 "$lal" train --task translate --train train.en $small --out no.lal
says '--target: found 0 and 1 --train files, expected as many'
expect 'fewer files of translations' 2 "$lal" train --task translate --train train.en --train dev.en \
    --target train.de $small --out no.lal
says '--target: found 1 and 2 --train files, expected as many'
expect 'no translations of dev' 2 "$lal" train --task translate --train train.en --target train.de --dev dev.en \
    $small --out no.lal
says '--dev-target: found 0 and 1 --dev files, expected as many'
expect 'no data' 2 "$lal" train --task translate --target train.de $small --out no.lal
says 'found no --train file, expected at least one'
head -n 3 train.de >less.de
expect 'fewer translations' 1 "$lal" train --task translate --train train.en --target less.de $small --out no.lal
says 'less.de:4:1: found the end, expected a translation of line 4 of train.en'
expect 'translations for a parser' 2 "$lal" train $data --target train.de --out no.lal
says '--target: found --task parse, expected --task translate'
expect 'trees for translation' 2 "$lal" train --task translate $pairs --train-deps train.conllx --out no.lal
says '--train-deps: found --task translate, expected --task parse'
expect 'the preset of the parser' 1 "$lal" train --task translate $pairs --preset small --out no.lal
says 'layers: found lal, expected plain'
expect 'other data' 2 "$lal" train --resume part.lal.ckpt --target train.en
says '--resume: found other sentences in train.en and train.en, expected those the run began with'
absent no.lal
no_leftovers
finish
