#!/bin/sh
# classify.sh BUILD-FOLDER: `lal train --task classify`, `lal classify` and the scores of `lal eval`: training,
# resuming, prediction, comparison, messages.
. "$(dirname "$0")/harness.sh"
make_toy

# Lines of class and words: the class of a sentence is the place of its last word. $1 lines, from number $2 on.
make_lines() {
    awk -v n="$1" -v from="$2" 'BEGIN {
        split("river code song", last); split("nature science art", name)
        split("the a old new one some", word)
        for (k = from; k < from + n; k++) {
            c = k % 7 < 3 ? 1 : k % 7 < 5 ? 2 : 3
            printf "%s\t%s %s %s %s .\n", name[c], word[1 + k % 6], word[1 + (3 * k + 1) % 6], last[c], last[c]
        }
    }'
}
make_lines 140 0 >train.tsv
make_lines 35 1000 >dev.tsv
make_lines 42 2000 >test.tsv
small="--d-model 32 --n-layers 1 --n-heads 2 --d-kv 16 --d-ff 48 --n-label-heads 6 --lal-d-kv 8 --lal-d-proj 8
    --affix-buckets 50 --word-min-count 1 --batch-size 20 --subbatch-tokens 60 --warmup 10 --lr 0.01 --average 0"

# ---- training
expect 'training' 0 "$lal" train --task classify --train train.tsv --dev dev.tsv $small --epochs 6 --out a.lal \
    --log a.jsonl --threads 2
says '140 sentences (0 longer than 150 words left out), 10 words, 3 classes'
says 'dev.tsv accuracy '
says ' macro-F1 '
says 'written to a.lal'
[ "$(grep -c '"dev": {"dev.tsv": {"sentences": 35, "accuracy": ' a.jsonl)" -eq 6 ] || complain 'a line for each check'
grep -q '"loss": {"class": ' a.jsonl || complain 'the log lacks the loss of the classes'
expect 'one thread' 0 "$lal" train --task classify --train train.tsv --dev dev.tsv $small --epochs 6 --out one.lal \
    --threads 1
# shellcheck disable=SC2216
{
    "$lal" train --task classify --train train.tsv --dev dev.tsv $small --epochs 1 --out pipe.lal 2>&1 >/dev/null
    echo $? >code
} | sleep 0
name='training whose reader ends'; [ "$(cat code)" = 0 ] && [ -s pipe.lal ] || complain "status $(cat code), expected 0"
expect 'stopping' 1 "$lal" train --task classify --train train.tsv --dev dev.tsv $small --epochs 6 --out part.lal \
    --stop-at-step 17
says 'continue with --resume part.lal.ckpt'
expect 'resuming' 0 "$lal" train --resume part.lal.ckpt --threads 2
for m in one part; do
    expect "the model $m" 0 "$lal" classify --model $m.lal --format json test.tsv
    mv out $m.json
done
expect 'the first model' 0 "$lal" classify --model a.lal --format json test.tsv
cmp out one.json || complain 'another number of threads gave another model'
cmp out part.json || complain 'a resumed run gave another model'
expect 'without dev' 0 "$lal" train --task classify --train train.tsv $small --epochs 1 --quiet
[ -s my.lal ] || complain 'the default name is my.lal'
[ -s err ] && complain 'it should say nothing'

# ---- prediction
printf 'The old river. The new code.\n' >raw
expect 'raw text' 0 "$lal" classify --model a.lal raw
printf 'nature\tThe old river .\nscience\tThe new code .\n' | cmp - out || { complain 'other classes'; cat out; }
cut -f 2 test.tsv >test.tokens
expect 'tokens' 0 "$lal" classify -m a.lal --input tokens --threads 3 --out pred.tsv test.tokens
silent
cmp pred.tsv test.tsv >/dev/null || complain 'all of them should be right, in the form of --train'
expect 'standard input' 0 sh -c "'$lal' classify -m a.lal --input tokens <test.tokens | cmp - pred.tsv"
expect 'JSON lines' 0 "$lal" classify -m a.lal -f json raw
prints '{"id": 1, "class": "nature", "probabilities": {"art": 0.'
prints '"words": ["The", "old", "river", "."]}'
lines 2
expect 'a treebank' 0 "$lal" classify -m a.lal --input brackets dev.trees
lines 20
expect 'a long sentence' 0 "$lal" classify -m a.lal --max-words 3 raw
says 'of 2 sentences the first 3 words were read (--max-words)'
printf '\n\nold river\n' >empty
expect 'empty lines' 0 "$lal" classify -m a.lal --input tokens empty
lines 1
: >nothing
expect 'an empty file' 0 "$lal" classify -m a.lal nothing
silent

# ---- scores
expect 'scores' 0 "$lal" eval -m a.lal --gold test.tsv
prints 'sentences  42'
prints 'accuracy   100.00'
prints 'macro-F1   100.00'
prints 'baseline   accuracy 42.86, macro-F1 20.00: always nature, which training has most of'
prints 'nature       18         18      18     100.00  100.00  100.00'
sed 's/^art/science/' test.tsv >other.tsv
expect 'wrong classes' 0 "$lal" eval -m a.lal --gold other.tsv
prints 'accuracy   71.43'
prints 'science   3    12     .    12'
expect 'scores as JSON' 0 "$lal" eval -m a.lal --gold other.tsv -f json
prints '"accuracy": 71.43, '
prints '"majority": {"class": "nature", "accuracy": 42.86, '
prints '"confusion": {"art": {}, "nature": {"nature": 18}, "science": {"art": 12, "science": 12}}}'
expect 'two models' 0 "$lal" eval -m a.lal -m my.lal --gold other.tsv
prints 'system    accuracy  macro-F1'
prints 'a.lal        71.43 '
expect 'a comparison' 0 "$lal" eval -m a.lal --gold test.tsv -m my.lal --samples 500
prints 'randomisation p'
expect 'a comparison with itself' 0 "$lal" eval -m a.lal -m one.lal -m one.lal -m a.lal --runs 2 --gold other.tsv \
    -f json
prints '"comparisons": [{"a": "a.lal", "b": "one.lal", "accuracy": {"a": 71.43, "b": 71.43, "p_randomisation": 1.00000}'
prints '"models": 2, "accuracy": 71.43, "accuracy_deviation": 0.00'

# ---- treebanks with classes, heads with masks, the encoder of a parser
head -n 80 train.tsv | cut -f 1 >train.classes
head -n 20 train.tsv | cut -f 1 >dev.classes
echo '{"encoder_options": {"heads": [{"heads": [0], "pattern": "rare_w", "use": "mask"},
  {"heads": [1], "pattern": "dep_syn", "use": "mask", "source": "gold"}]}}' >roles.json
expect 'a treebank and roles' 0 "$lal" train --task classify --train train.conllx --train-classes train.classes \
    --dev dev.conllx --dev-classes dev.classes $small --epochs 1 --encoder-options roles.json --out roles.lal
says 'ORACLE run'
says '80 sentences'
expect 'their scores' 0 "$lal" eval -m roles.lal --gold dev.conllx --gold-classes dev.classes
prints 'ORACLE sentences  20'
grep -v '^ORACLE ' out && complain 'a line without ORACLE'
expect 'their scores as JSON' 0 "$lal" eval -m roles.lal --gold dev.conllx --gold-classes dev.classes --format json
prints '{"oracle": true, "sentences": 20, '
expect 'text for masks of syntax' 1 "$lal" classify -m roles.lal raw
says 'roles.lal: this model reads gold syntax (oracle) and cannot classify text'
expect 'a treebank for masks of syntax' 0 "$lal" classify -m roles.lal --input conll dev.conllx -f json -o parsed
[ "$(wc -l <parsed)" -eq 20 ] || complain '20 sentences expected'
awk 'BEGIN { FS = OFS = "\t" } NF > 6 { $7 = $1 == 1 ? 0 : 1 } 1' dev.conllx >flat.conllx
expect 'other parses of the same words' 0 "$lal" classify -m roles.lal --input conll flat.conllx -f json -o flat
cmp -s parsed flat && complain 'masks should read the parses of the input'
sed 's/"gold"/"self"/' roles.json >self.json
expect 'another source of parses' 1 "$lal" train --task classify --train train.conllx --train-classes train.classes \
    $small --encoder-options self.json --out no.lal
says 'encoder_options.syntax: found a source that a model that classifies cannot read, expected first_pass'

# Parses of another model, or of a treebank that this model has parsed: the same, in training and of a text.
sed 's/, "source": "gold"//; s/}]}}/}], "syntax": {"source": "first_pass", "model": "toy.lal"}}}/' roles.json \
    >first.json
for set in train dev test; do
    cut -f 1 $set.tsv >$set.names
    cut -f 2 $set.tsv | "$lal" parse -m toy.lal --input tokens --deps stanford -f conllx -q >$set.parsed
done
expect 'parses by another model' 0 "$lal" train --task classify --train train.tsv --dev dev.tsv $small --epochs 2 \
    --encoder-options first.json --out first.lal --log first.jsonl
expect 'these parses as a treebank' 0 "$lal" train --task classify --train train.parsed --train-classes train.names \
    --dev dev.parsed --dev-classes dev.names $small --epochs 2 --encoder-options roles.json --out gold.lal \
    --log gold.jsonl
for m in first gold; do grep -o '"weights": "[^"]*"\|"accuracy": [0-9.]*' $m.jsonl >$m.run; done
cmp -s first.run gold.run && [ "$(wc -l <first.run)" -eq 4 ] || complain 'other weights or dev scores'
expect 'stopping with parses' 1 "$lal" train --task classify --train train.tsv --dev dev.tsv $small --epochs 2 \
    --encoder-options first.json --out again.lal --stop-at-step 9
expect 'resuming with parses' 0 "$lal" train --resume again.lal.ckpt
expect 'the same model' 0 "$lal" classify -m again.lal --input tokens test.tokens -f json
mv out again
"$lal" train --task classify --train train.tsv $small --epochs 1 --encoder-options first.json --out changed.lal \
    --stop-at-step 3 -q 2>err && complain 'the run should stop'
cp toy.lal kept.lal
"$lal" train --train train.trees --train-deps train.conllx $small --epochs 1 --seed 9 --out toy.lal -q
expect 'resuming with another parser' 2 "$lal" train --resume changed.lal.ckpt
says '--resume: found other parses in toy.lal, expected those the run began with'
mv kept.lal toy.lal
expect 'text by both' 0 sh -c "'$lal' classify -m first.lal --input tokens test.tokens -f json --threads 2 &&
    cut -f 2 test.tsv | cmp -s - test.tokens && '$lal' classify -m gold.lal --input conll test.parsed -f json >by.gold"
cmp -s out by.gold || complain 'the parses of a text should be those of toy.lal'
cmp -s out again || complain 'a resumed run gave another model'
expect 'raw text with parses' 0 "$lal" classify -m first.lal --max-words 3 raw
lines 2
mkdir alone && cp first.lal alone
expect 'a model without the one that parses' 1 sh -c "cd alone && '$lal' classify -m first.lal ../raw"
says 'first.lal: the model of the first pass (syntax.model): found no file toy.lal'
expect 'the encoder of a parser' 0 "$lal" train --task classify --train train.tsv --dev dev.tsv --init toy.lal \
    --epochs 1 --batch-size 20 --out from.lal
expect 'its options' 0 "$lal" model info -m from.lal
prints ' d_ff=48'
prints 'classes     3: art nature science'
expect 'another shape' 2 "$lal" train --task classify --train train.tsv --init toy.lal --d-ff 40 --out no.lal
says 'd_ff: found 40, expected 48, that of the model that the run begins with, toy.lal (--init)'
absent no.lal

# ---- sets of sentences that others have made
mkdir nltk nltk/qc nltk/product_reviews_1 nltk/product_reviews_2 nltk/sentence_polarity nltk/subjectivity
printf 'NUM:dist How far is it ?\nLOC:city What  city is Z\374rich ?\nHUM:desc Who was he ?\n' >nltk/qc/train.txt
printf 'HUM:ind Who is it ?\n' >nltk/qc/test.txt
printf '[t]a title\nphone[+3], work[-1]##it works , i do\tlike it .\n##no mark\nlens[-2]##it broke .\n' \
    >nltk/product_reviews_1/a.txt
printf 'x[+1][-1]##even .\n' >nltk/product_reviews_2/b.txt
printf "it's good . \nfine .\n" >nltk/sentence_polarity/rt.pos
printf "it isn't .\nbad .\n" >nltk/sentence_polarity/rt.neg
printf 'a man walks .\n' >nltk/subjectivity/plot
printf 'a gem .\n' >nltk/subjectivity/quote
expect 'the sets of the recipe' 0 env ABLATE=echo "$root/recipes/classify_sets.sh" nltk sets --seed 3
prints 'roles-classify --out cr --train cr.train.tsv --dev cr.dev.tsv --test cr.test.tsv --seed 3'
printf 'NUM\tHow far is it ?\n' | cmp -s - sets/trec.dev.tsv || complain 'other questions of dev'
printf 'LOC\tWhat city is Z\303\274rich ?\nHUM\tWho was he ?\n' | cmp -s - sets/trec.train.tsv ||
    complain 'other questions'
printf 'positive\tit works , i do like it .\n' | cmp -s - sets/cr.test.tsv || complain 'other reviews of test'
printf 'negative\tit broke .\n' | cmp -s - sets/cr.dev.tsv || complain 'other reviews of dev'
printf "positive\tit 's good .\nnegative\tit is n't .\n" | cmp -s - sets/mr.test.tsv || complain 'other polarities'
printf 'objective\ta man walks .\nsubjective\ta gem .\n' | cmp -s - sets/subj.test.tsv || complain 'other plots'
mkdir nltk/sent-conv
printf '0 not good\n1 supports\n' >nltk/sent-conv/mpqa.all
for part in train dev test; do printf "1 it 's  a gem .\n" >nltk/sent-conv/stsa.binary.$part; done
expect 'sets from elsewhere' 0 env ABLATE=echo SETS='mpqa sst' "$root/recipes/classify_sets.sh" nltk sets
printf 'negative\tnot good\n' | cmp -s - sets/mpqa.test.tsv || complain 'other opinions'
printf "positive\tit 's a gem .\n" | cmp -s - sets/sst.train.tsv || complain 'other sentiments'
expect 'an unknown set' 2 env ABLATE=echo SETS=imdb "$root/recipes/classify_sets.sh" nltk sets
says 'SETS: found imdb, expected trec, cr, mr, subj, mpqa or sst'

# ---- what heads do
expect 'heads' 0 "$lal" inspect heads -m a.lal --gold dev.tsv --train train.tsv --gr next --mask 3 --show 1:2
prints 'head      confidence  taylor_param  classes  previous '
prints 'removal of single heads (3 sentences'
prints '1:2 in sentence 1:'
says '35 sentences, 175 words, 8 heads, conservation_error '
expect 'heads as numbers' 0 "$lal" inspect heads -m a.lal --gold dev.tsv --max-words 4 -f json
prints '"sentences": 0'
says '; 35 sentences longer than --max-words left out'
expect 'relevance of heads' 0 "$lal" inspect heads -m a.lal --gold dev.tsv -f tsv
head -n 1 out | grep -q 'relevance_share_classes.relevance_classes' || complain 'no relevance for the classes'
awk -F '\t' 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
    { split($1, layer, ":"); sum[layer[1]] += $at["relevance_share_classes"] }
    END { exit !(sum["1"] > 0.9999 && sum["1"] < 1.0001 && sum["label"] > 0.9999 && sum["label"] < 1.0001) }' out ||
    complain 'shares of the heads of a layer should be 1 together'
expect 'heads with arcs of the first pass' 0 "$lal" inspect heads -m first.lal --gold dev.tsv -f json --gr dep_syn
prints '"gr:dep_syn": '
expect 'heads without arcs' 0 "$lal" inspect heads -m a.lal --gold dev.tsv -f json --gr dep_syn
grep -q 'gr:dep_syn' out && complain 'a pattern of arcs that are not there'
expect 'heads of a treebank' 0 "$lal" inspect heads -m roles.lal --gold dev.conllx --gold-classes dev.classes \
    --gr next --train train.conllx
says 'ORACLE 20 sentences'
expect 'their page' 0 "$lal" inspect heads -m a.lal --gold dev.tsv --gr next --html pages
of_page pages/data/heads.js 'x["attention"]' || complain 'no attention in the page'
expect 'names for a classifier' 2 "$lal" inspect heads -m a.lal --gold dev.tsv --name-heads x.lal
says '--name-heads: found a model that classifies sentences (lal classify), expected a model that parses (lal parse)'
expect 'arcs for a classifier' 2 "$lal" inspect heads -m a.lal --gold dev.tsv --gold-deps dev.conllx
says '--gold-deps: found a model that classifies sentences'
expect 'gold of a translation' 2 "$lal" inspect heads -m a.lal --gold dev.tsv --gold-target dev.tsv
says '--gold-target: found a model that classifies sentences (lal classify), expected a model that translates'
printf 'music\ta song\n' >new.tsv
expect 'an unknown class' 1 "$lal" inspect heads -m a.lal --gold new.tsv --gr next
says "new.tsv:1: found class 'music', expected one of the training data"

# ---- a model of the other task
expect 'parsing with a classifier' 1 "$lal" parse -m a.lal raw
says 'a.lal: found a model that classifies sentences (lal classify), expected a model that parses (lal parse)'
expect 'classifying with a parser' 1 "$lal" classify -m toy.lal raw
says 'toy.lal: found a model that parses (lal parse), expected a model that classifies sentences (lal classify)'
expect 'resuming as another task' 2 "$lal" train --resume part.lal.ckpt --task parse
says '--task: found parse and --resume, expected the task of the run, classify'
expect 'trees as gold' 1 "$lal" eval --model a.lal --gold dev.trees
says 'dev.trees:1:1: found a line without a tab'
for c in 'inspect --model a.lal raw' 'bench --model a.lal --only load'; do
    expect "lal $c" 1 "$lal" $c
    says 'a.lal: found a model that classifies sentences'
done
expect 'info of a classifier' 0 "$lal" model info --format json -m a.lal
prints '"format": 3'
prints '"classes": ["art", "nature", "science"]'

# ---- messages
expect 'no model' 2 "$lal" classify raw
says 'found no --model, expected one'
expect 'an option of training' 2 "$lal" classify -m a.lal --epochs 3 raw
says "unknown option '--epochs'"
expect 'an argument of training' 2 "$lal" train --task classify --train train.tsv raw
says "found 'raw', expected only options"
expect 'an option of parsing' 2 "$lal" train --task classify --train train.tsv --train-deps train.conllx
says '--train-deps: found --task classify, expected --task parse'
expect 'an option of classifying' 2 "$lal" train --train train.trees --train-classes train.classes
says '--train-classes: found --task parse, expected --task classify'
expect 'gold of a parser' 2 "$lal" eval -m a.lal --gold test.tsv --gold-deps dev.conllx
says 'found --gold-deps and a model that classifies'
expect 'gold of a classifier' 2 "$lal" eval -m toy.lal --gold dev.trees --gold-classes dev.classes
says 'found --gold-classes and a model that parses'
expect 'other numbers of models' 2 "$lal" eval -m a.lal -m one.lal -m part.lal --runs 2 --gold test.tsv
says '--runs: found 3 models, expected a multiple of 2'
expect 'models of two tasks' 1 "$lal" eval -m a.lal -m toy.lal --gold test.tsv
says 'toy.lal: found a model that parses (lal parse), expected a model that classifies'
printf 'music\ta song\n' >new.tsv
expect 'a class that training lacks' 1 "$lal" eval -m a.lal --gold new.tsv
says "new.tsv:1: found class 'music', expected one of the training data"
mkdir -p folder
sed '7s/.*/music/' dev.classes >folder/new.classes
expect 'a class that training lacks, of a treebank' 1 "$lal" eval -m roles.lal --gold dev.conllx \
    --gold-classes folder/new.classes
says "folder/new.classes:7: found class 'music', expected one of the training data"
expect 'the same in dev' 1 "$lal" train --task classify --train train.tsv --dev new.tsv $small --out no.lal
says "new.tsv:1: found class 'music'"
absent no.lal
expect 'too few classes' 1 "$lal" train --task classify --train train.conllx --train-classes dev.classes $small \
    --out no.lal
says 'dev.classes:20: found 20 classes, expected one for each of the 80 sentences of the treebank'
head -n 70 train.tsv | sed 's/^art/music/' >less.tsv
expect 'resuming on other data' 2 "$lal" train --resume part.lal.ckpt --train less.tsv
says '--resume: found other sentences in less.tsv, expected those the run began with'
no_leftovers
finish
