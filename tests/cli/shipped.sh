#!/bin/sh
# shipped.sh BUILD-FOLDER: the names of the shipped models, small, base, large and zh, as values of the options shown as
# MODEL, and in `lal model info`.
. "$(dirname "$0")/harness.sh"
make_toy
classes=$root/tests/fuzz/seeds/model/classes
printf 'news\tTrees of heads .\ntravel guide\tIt sees the river .\n' >lines
once="--max-updates 1 --batch-size 2 --quiet"

# ---- each of these options is tried below
all_commands | while read -r c; do
    "$lal" help $c | sed -n "s/^  \(-[a-z], \)\{0,1\}\(--[a-z-]*\) MODEL\$/$c \2/p"
done | sort >found
sort >wanted <<'END'
serve --model
parse --model
search --model
tokenize --model
eval --model
inspect coref --model
inspect heads --model
inspect heads --parser
inspect heads --against
inspect --model
inspect --against-model
inspect faithful --model
bench --model
model info --model
model prune --model
model quantize --model
model calibrate --model
classify --model
translate --model
train --init
train --pretrained
END
name='the options that take a model'
diff wanted found || complain 'options were added or have gone: try them here'

for c in 'parse text' 'tokenize text' 'eval --gold dev.trees' 'inspect heads --gold dev.trees --most 2' 'inspect text' \
    'bench --only load' "inspect coref $root/tests/golden/seed-tasks/random.jsonl" 'model info'; do
    expect "$c" 0 "$lal" $c --model small
done
prints 'model       '
prints '/en-small.lal'
expect 'search' 0 "$lal" search --model small NP text
expect 'a second model to inspect' 0 "$lal" inspect --model toy.lal --against-model base --html pages text
of_page pages/data/overview.js 'x["compare"]["models"][1]["name"] == "en-base.lal"' ||
    complain 'the pages lack the second model'
expect 'heads of a second model' 0 "$lal" inspect heads -m small --gold dev.trees --most 2 --against base
printf 'Old dogs bark.\nCats sleep.\n' >lines.en
expect 'a model that translates' 0 "$lal" train --task translate --train lines.en --target lines.en --d-model 16 \
    --n-layers 1 --n-heads 2 --d-kv 8 --d-ff 16 --decoder-layers 1 --pieces 30 --epochs 1 --out texts.lal
expect 'a parser of its sources' 0 "$lal" inspect heads -m texts.lal --gold lines.en --gold-target lines.en \
    --parser small
says '2 pairs, '
expect 'quantize' 0 "$lal" model quantize -m small --out stored.lal
"$lal" parse --model small text >wanted
"$lal" parse --model stored.lal text | cmp - wanted || complain 'it is another model'
echo '老师也喜欢音乐。' >chinese
expect 'Chinese' 0 "$lal" parse --model zh --format conllu chinese
prints '	音乐	音乐	NOUN	NN	'
grep -q warning err && complain 'a text of its own script'
printf '%s' '请访问www.example.com或联系wang.li@example.com.cn。他买了iPhone 15 Pro Max，花了1,234元，涨了3.5%。' \
    '会议在10:30开始。他说：“我明天去。”然后走了（真的！）。他说"好的。"然后走了。' >latin
expect 'Latin words in Chinese' 0 "$lal" parse --model zh --format conllu latin
awk -F '\t' '/^[0-9]/ { line = line " " $2 } !NF { print line; line = "" }' out >tokens
cat >wanted <<'end'
 请 访问 www.example.com 或 联系 wang.li@example.com.cn 。
 他 买 了 iPhone 15 Pro Max ， 花 了 1,234 元 ， 涨 了 3.5% 。
 会议 在 10:30 开始 。
 他 说 ： “ 我 明天 去 。 ”
 然后 走 了 （ 真的 ！ ） 。
 他 说 " 好 的 。 "
 然后 走 了 。
end
diff wanted tokens || complain 'addresses, numbers and names should be tokens'
expect 'trees of Latin words' 0 "$lal" parse --model zh latin
grep U+ out && complain 'a word with an escape'
echo '老师 也喜欢 音乐 。' >given
expect 'words given' 0 "$lal" parse --model zh --pretokenized --format conllu given
prints '2	也喜欢	'
expect 'Chinese in English' 0 "$lal" parse --model small chinese
says 'but the model (english) knows Latin; try --model zh'
head -n 5 dev.trees >five
expect 'calibrate' 0 "$lal" model calibrate --model small --gold five --gold-deps english.rules --out fitted.lal
expect 'prune' 1 "$lal" model prune --model small --gold dev.trees --out pruned.lal
says 'the model has no gates on its heads'
expect 'classify' 1 "$lal" classify --model small text
says '/en-small.lal: found a model that parses (lal parse)'
expect 'translate' 1 "$lal" translate --model small text
says '/en-small.lal: found a model that parses (lal parse)'
expect 'a second model of classes' 1 "$lal" eval --model "$classes" --gold lines --model base
says '/en-base.lal: found a model that parses (lal parse)'
export LAL="$lal"
expect 'an encoder for an ablation' 0 "$root/recipes/ablate.py" pal --pretrained base --train train.trees \
    --dev dev.trees --test dev.trees --check
expect 'no encoder for an ablation' 1 "$root/recipes/ablate.py" pal --pretrained toy.lal --train train.trees \
    --dev dev.trees --test dev.trees
says 'toy.lal: '

# ---- training
expect 'fine-tuning' 0 "$lal" train $data $once --init small --out tuned.lal
expect 'what it began with' 0 "$lal" model info -f json -m tuned.lal
prints '"init": {"model": "en-small.lal", "task": "parse", '
printf '{"encoder_options": {"heads": [%s, %s]}}\n' \
    '{"stack": "pretrained", "layers": [3], "heads": [0], "pattern": "prev", "use": "mask"}' \
    '{"stack": "pretrained", "layers": [1], "heads": [11], "pattern": "next", "use": "mask"}' >heads.json
expect 'the encoder of a parser, stopped' 1 "$lal" train $data $tiny $once --max-updates 2 --pretrained base \
    --pretrained-freeze 3 --encoder-options heads.json --out encoder.lal --stop-at-step 1
expect 'the encoder of a parser, resumed' 0 "$lal" train --resume encoder.lal.ckpt
expect 'what it has' 0 "$lal" model info -m encoder.lal
prints 'pretrained  bert, 4 layers of width 384'
prints '"layers": [3], "heads": [0], "pattern": "prev"'
expect 'a classifier' 0 "$lal" train --task classify --train lines --dev lines --init small $once --out classes.lal
expect 'what it began with' 0 "$lal" model info -f json -m classes.lal
prints '"init": {"model": "en-small.lal", "task": "parse", '
expect 'pretraining' 0 "$lal" train --task detect --train text --dev text --init small $once --out words.lal
expect 'what it began with' 0 "$lal" model info -f json -m words.lal
prints '"init": {"model": "en-small.lal", "task": "parse", '
expect 'stopping' 1 "$lal" train $data $once --max-updates 2 --init small --out stopped.lal --stop-at-step 1
expect 'another model for a run that is resumed' 2 "$lal" train --resume stopped.lal.ckpt --init base
says '--init: found base and --resume, expected one of them: the run began with small'
expect 'resuming' 0 "$lal" train --resume stopped.lal.ckpt --init small
cp toy.lal small
expect 'a file that has the name of a shipped model' 0 "$lal" train $data $once --init ./small --out tuned.lal
expect 'what it began with' 0 "$lal" model info -f json -m tuned.lal
prints '"init": {"model": "small", "task": "parse", '
expect 'the model itself as output' 2 "$lal" train $data $once --init small --out "$root/models/en-small.lal"
says '--init and --out: found the same file'

# ---- as JSON
expect 'the shipped models' 0 "$lal" model info --format json
prints '"models": [{"name": "small", "file": "en-small.lal", "about": "English, fast", "path": "'
prints '/en-small.lal"}, {"name": "base", "file": "en-base.lal", '
prints '/en-base.lal"}, {"name": "large", "file": "en-large.lal", '
expect 'of a model there is no list' 0 "$lal" model info --format json -m base
grep -q '"models"' out && complain 'there is a list'
mkdir -p bin/program && cp "$lal" bin/program/lal # no models beside it
expect 'models that are not installed' 0 env LAL_MODEL=toy.lal bin/program/lal model info --format json
[ -e "$("$lal" help manual | sed -n 's/^\(.*\)\/en-small\.lal, en-base\.lal$/\1/p')/en-small.lal" ] ||
    prints '"models": [{"name": "small", "file": "en-small.lal", "about": "English, fast", "path": null}, '
finish
