#!/bin/sh
# documents.sh BUILD-FOLDER: `lal train --task classes|summary|segments`, `lal classify` and `lal eval` of documents:
# training, resuming, output that lal eval --measure reads, baselines, comparison, pruning, messages.
. "$(dirname "$0")/harness.sh"

# $1 documents from number $2 on: sentences of topic one, then of topic two; "key" ones are the summary, "asks" is
# a question.
make_documents() {
    awk -v n="$1" -v from="$2" 'BEGIN {
        split("river boat lake", one); split("code test loop", two); split("runs asks key", kind)
        for (k = from; k < from + n; k++) {
            sentences = classes = summary = ""
            boundary = 1 + k % 7
            for (i = 0; i < 8; i++) {
                word = i < boundary ? one[1 + (k + i) % 3] : two[1 + (k + i) % 3]
                what = i == k % 8 ? 3 : 1 + (k + i) % 2
                s = "\"The " word " " kind[what] ".\""
                sentences = sentences (i ? ", " : "") s
                classes = classes (i ? ", " : "") (what == 2 ? "\"question\"" : "\"statement\"")
                if (what == 3) summary = s
            }
            printf "{\"id\": \"d/%d\", \"sentences\": [%s], \"classes\": [%s], ", k, sentences, classes
            printf "\"summary\": [%s], \"segments\": [{\"begin\": 0}, {\"begin\": %d}]}\n", summary, boundary
        }
    }'
}
make_documents 60 0 >train.jsonl
make_documents 12 1000 >dev.jsonl
make_documents 16 2000 >test.jsonl
small="--preset paper --no-use-lal --d-model 32 --n-layers 1 --n-heads 2 --d-kv 16 --d-ff 48 --word-min-count 1
    --batch-size 10 --subbatch-tokens 100 --warmup 10 --lr 0.01 --schedule cosine --average 0 --context 4
    --checks-per-epoch 1 --word-dropout 0"

for task in classes summary segments; do
    expect "training $task" 0 "$lal" train --task $task --train train.jsonl --dev dev.jsonl $small --epochs 10 \
        --out $task.lal --threads 2
    says ' texts, '
    says ' documents, 2 classes'
    says "written to $task.lal"
    expect "stopping $task" 1 "$lal" train --task $task --train train.jsonl --dev dev.jsonl $small --epochs 10 \
        --out part.lal --stop-at-step 13
    expect "resuming $task" 0 "$lal" train --resume part.lal.ckpt
    for m in $task part; do
        expect "output of $m" 0 "$lal" classify -m $m.lal -f json test.jsonl
        mv out $m.json
    done
    cmp $task.json part.json || complain "a resumed run gave another model of $task"
    expect "scores of $task" 0 "$lal" eval -m $task.lal --gold test.jsonl
done

# ---- scores and output
for options in '' '--choose 1' '--choose 2 --block-trigrams'; do
    expect "scores of a model $options" 0 "$lal" eval -m summary.lal --gold test.jsonl $options
    mv out scores
    expect 'output' 0 "$lal" classify -m summary.lal $options -f json -o pred.json test.jsonl
    expect 'scores of output' 0 "$lal" eval --measure rouge --gold test.jsonl --pred pred.json
    cmp out scores || complain 'output has other scores than its model'
done
expect 'classes' 0 "$lal" eval --measure classes --gold test.jsonl --pred classes.json
prints 'sentences  128, right '
prints 'accuracy   100.00'
expect 'boundaries' 0 "$lal" eval --measure boundaries --gold test.jsonl --pred segments.json
prints 'documents  16, left out without boundaries in gold 0'
expect 'baselines of summaries' 0 "$lal" eval -m summary.lal --gold test.jsonl --baselines --samples 100 --choose 1
for name in 'first 3' 'first sentences' 'random sentences' 'oracle  '; do prints "$name"; done
expect 'baselines of segments' 0 "$lal" eval -m segments.lal -m part.lal --runs 2 --gold test.jsonl --baselines \
    --samples 100 --format json
for name in 'no boundary' 'every gap' 'equal segments'; do prints "$name"; done
expect 'a text' 0 "$lal" classify -m classes.lal test.jsonl
[ "$(wc -l <out)" -eq 144 ] || complain 'a line for each sentence, and an empty one after each document'
head -1 out | grep -q '^[a-z]*	The [a-z]* [a-z]*\.$' || complain 'class, tab, sentence'
expect 'another threshold' 0 "$lal" classify -m segments.lal --threshold p_k test.jsonl

# ---- patterns, pruning
gates='{"encoder_options": {"heads": [{"heads": [1], "pattern": "intra_span/source=sentence", "use": "mask"}],
    "gates": {"kind": "constant", "stacks": ["self"], "constant": [1, 0]}}}'
expect 'a mask and a closed head' 0 "$lal" train --task summary --train train.jsonl --dev dev.jsonl $small --epochs 1 \
    --encoder-options "$gates" --out gated.lal
expect 'pruning' 0 "$lal" model prune -m gated.lal --gold dev.jsonl --out pruned.lal
prints 'equal on 12 sentences: the same classes'
expect 'a pruned model' 0 sh -c "'$lal' classify -m pruned.lal -f json dev.jsonl >a && '$lal' classify -m gated.lal \
    -f json dev.jsonl | cmp - a"
# ---- what heads do
for task in classes summary segments; do
    expect "heads of $task" 0 "$lal" inspect heads -m $task.lal --gold test.jsonl --train train.jsonl --gr intra_span \
        --gr prev --mask 2 -f json
    prints '"relevance_share_classes": '
    prints '"gr:prev": '
done
prints '"sentences": 112, ' # the gaps of 16 documents of 8 sentences
expect 'attention in a document' 0 "$lal" inspect heads -m summary.lal --gold test.jsonl --most 2 --gr prev --show 1:1
prints '1:1 in sentence 2:'
says '2 texts, 64 words, 2 heads'
expect 'a page of documents' 2 "$lal" inspect heads -m summary.lal --gold test.jsonl --html pages
says '--html: found a model that chooses the sentences of a summary (lal classify), expected a model that parses'

expect 'a mask of sides where there are none' 2 "$lal" train --task summary --train train.jsonl $small --out no.lal \
    --encoder-options '{"encoder_options": {"heads": [{"heads": [0], "pattern": "intra_span/source=side",
    "use": "mask"}]}}'
says 'pattern "intra_span" by side needs the words around a gap, which this task does not read'
expect 'a parse' 1 "$lal" train --task summary --train train.jsonl $small --out no.lal --encoder-options \
    '{"encoder_options": {"heads": [{"heads": [0], "pattern": "dep_syn", "use": "mask"}],
    "syntax": {"source": "gold"}}}'
says 'the task summary has no parses'
expect 'the encoder of another task' 0 "$lal" train --task segments --train train.jsonl --dev dev.jsonl --epochs 1 \
    --init summary.lal --out init.lal

# ---- messages
printf '{"sentences": ["a b."], "classes": ["x", "y"]}\n' >bad.jsonl
expect 'too many classes' 1 "$lal" train --task classes --train bad.jsonl $small --out no.lal
says 'bad.jsonl:1:36: found 2 classes, expected one for each of the 1 sentences'
printf '{"sentences": ["a b."]}\n' >bad.jsonl
expect 'no summary' 1 "$lal" train --task summary --train bad.jsonl $small --out no.lal
says 'bad.jsonl:1:1: found no document with a summary, expected one at least'
expect 'a model of documents and sentences' 2 "$lal" classify -m summary.lal --input tokens test.jsonl
says 'expected a model of sentences'
expect 'models of two tasks' 1 "$lal" eval -m summary.lal -m segments.lal --gold test.jsonl
says 'segments.lal: found a model that finds the segments of documents (lal classify), expected a model that chooses'
expect 'trees' 2 "$lal" eval -m summary.lal --gold test.jsonl --gold-deps x
says 'found a model of documents and --gold-deps, expected --gold and --pred alone'
expect 'baselines of texts' 2 "$lal" eval --measure rouge --gold test.jsonl --pred pred.json --baselines
says '--baselines: found --measure, expected a model of documents and another format'
expect 'words put in' 2 "$lal" train --task summary --train train.jsonl $small --vary-quotes 0.5 --out no.lal
says '--vary-quotes: found --task summary, expected a task on sentences'
finish
