#!/bin/sh
# run.sh BUILD-FOLDER: output, messages and exit status of the programs.
. "$(dirname "$0")/harness.sh"

# ---- a generated treebank and a model trained on it
"$build/tests/support/make_treebank" 80 1 train && "$build/tests/support/make_treebank" 20 2 dev || exit 1
tiny="$tiny --epochs 2 --warmup 10"
data="--train train.trees --train-deps train.conllx --dev dev.trees --dev-deps dev.conllx --name toy"

# shellcheck disable=SC2086
{
expect 'training' 0 "$lal" train $data $tiny --out toy.lal --log toy.jsonl
says '80 sentences'
says 'toy F1'
says 'joint spans: 0 groups left flat'
[ "$(wc -l <toy.jsonl)" -eq 2 ] || complain 'the log should hold a line for each check'
expect 'training again on one thread' 0 "$lal" train $data $tiny --out one.lal --threads 1
expect 'stopping' 1 "$lal" train $data $tiny --out part.lal --stop-at-step 5 --threads 2
says 'continue with --resume part.lal.ckpt'
expect 'resuming' 0 "$lal" train $data $tiny --out part.lal --resume part.lal.ckpt --threads 1
if grep -q '^--resume:' err; then complain 'a resumed run should have nothing to say of the same options'; fi
expect 'resuming with other options' 0 "$lal" train $data $tiny --out more.lal --resume part.lal.ckpt --epochs 3 --d-ff 40
says '--resume: epochs changes from 2 to 3'
says '--resume: d_ff stays 48, found 40; model options are fixed'
expect 'parameter groups' 1 "$lal" train $data $tiny --out groups.lal --stop-at-step 5 --freeze embedding. --freeze f_tag. --group encoder.=0.5 --weight-decay 0.01
expect 'resuming with parameter groups' 0 "$lal" train $data $tiny --out groups.lal --resume groups.lal.ckpt --freeze embedding. --freeze f_tag. --group encoder.=2
says '--resume: weight_decay changes from 0.01 to 0'
says '--resume: group changes from ["encoder.=0.5"] to ["encoder.=2"]'
expect 'resuming without the frozen parameters' 2 "$lal" train $data $tiny --out groups.lal --resume groups.lal.ckpt --freeze embedding.
says '--resume: found other --freeze options, expected those the run began with: ["embedding.","f_tag."]'
echo '{"train": {"weight_decay": 0.1, "freeze": ["encoder.", "f_tag."]}}' > frozen.json
expect 'a preset with parameter groups' 0 "$lal" train $data --preset frozen.json $tiny --epochs 1 --freeze dep_score. --out frozen.lal
expect 'its summary' 0 "$lal" info --format json frozen.lal
prints '"weight_decay": 0.1, "freeze": ["encoder.", "f_tag.", "dep_score."], "group": []'
expect 'resuming on other data' 2 "$lal" train --train dev.trees --train-deps dev.conllx $tiny --out part.lal --resume one.lal.ckpt
says '--resume: found 20 training sentences, expected the 80 the run began with'
for m in toy one part; do
    "$lal" parse --model $m.lal --input brackets --format json dev.trees > $m.json || complain "parsing with $m.lal"
done
name='another number of threads'; cmp toy.json one.json || complain 'training gave another model'
name='a resumed run'; cmp one.json part.json || complain 'parses differently from an uninterrupted one'
expect 'training on trees and head rules' 0 "$lal" train --train train.trees --train dev.trees --train-deps english.rules $tiny --epochs 1 --out rules.lal
says '100 sentences'
says 'joint spans: 0 groups left flat, 0 phrases with more than one head'
expect 'scoring heads of rules' 0 "$lal" eval --gold dev.trees --gold-deps english.rules --pred dev.trees --pred-deps english.rules
prints 'UAS 100.00  LAS 100.00'
expect 'head rules without trees' 2 "$lal" eval --gold-deps english.rules --pred-deps english.rules
says 'english.rules: found head rules without trees, expected a bracket file too'
expect 'missing head rules' 1 "$lal" convert --to conllx --deps klingon.rules dev.trees
says 'headrules/klingon.rules: cannot open: No such file or directory'
echo 'head S middle X' > my.rules
expect 'head rules that cannot be read' 1 "$lal" convert --to conllx --deps my.rules dev.trees
says 'my.rules:1:8: found an unknown word, expected first or last'
echo '(TOP (S (NP (NNS Trees)) (VP (VBP grow)) (. .)))' > grow
expect 'dependencies from trees' 0 "$lal" convert --to conllx --deps english.rules grow grow
lines 8
prints '1	Trees	_	NNS	NNS	_	2	nsubj	_	_'
expect 'a file without sentences' 1 "$lal" train --train /dev/null $tiny --out no.lal
says '/dev/null:1:1: found no sentence, expected trees'
absent no.lal
expect 'an unknown preset' 2 "$lal" train $data --preset huge --out no.lal
says "--preset: found 'huge'"
expect 'training into a missing folder' 1 "$lal" train $data $tiny --epochs 1 --out nowhere/x.lal
says 'nowhere/x.lal: cannot write: No such file or directory'
grep -q 'sentences' err && complain 'the error should be reported before training begins'
expect 'a log that cannot be written' 1 "$lal" train $data $tiny --epochs 1 --out x.lal --log nowhere/log
says 'nowhere/log: cannot write: No such file or directory'
absent x.lal
expect 'a disk that is full while saving' 1 "$lal" train $data $tiny --epochs 1 --out /dev/full --checkpoint full.ckpt
says '/dev/full: cannot write: No space left on device'
expect 'one file too few' 2 "$lal" train --train train.trees --train dev.trees --train-deps train.conllx $tiny --out no.lal
says 'found 2 --train and 1 --train-deps files, expected the same number'
expect 'widths that do not fit' 1 "$lal" train $data $tiny --d-kv 15 --out no.lal
says 'd_kv'
absent no.lal
}
name='interrupted training'; checks=$((checks + 1))
# shellcheck disable=SC2086
"$lal" train $data $tiny --epochs 100000 --out int.lal 2>err & pid=$!
n=0; while [ ! -e int.lal.ckpt ] && [ $n -lt 300 ]; do sleep 0.05; n=$((n + 1)); done
kill -INT $pid; wait $pid; status=$?
[ $status -eq 1 ] || complain "exit status $status, expected 1"
says 'continue with --resume int.lal.ckpt'
expect 'the state of an interrupted run' 0 "$lal" info int.lal.ckpt
no_leftovers

# ---- parsing
lal_toy() { command=$1; shift; "$lal" "$command" --model toy.lal "$@"; }
printf 'The \303\266ld parser reads every tree. It never (really) sees\nthe river!\n\nTrees of heads.\n' > text
expect 'brackets' 0 "$lal" parse --model toy.lal text
lines 3
grep -q -- '-LRB-' out || complain 'brackets are not escaped'
[ "$(grep -c '^(TOP (' out)" -eq 3 ] || complain 'not three trees'
expect 'CoNLL-U' 0 "$lal" parse --model toy.lal --format conllu text
prints '# text = It never (really) sees the river!'
prints 'SpaceAfter=No'
prints '# newpar'
cp out parsed.conllu
expect 'CoNLL-U reads as dependencies' 0 "$lal" eval --model toy.lal --gold-deps parsed.conllu
prints 'LAS 100.00'
expect 'JSON' 0 "$lal" parse --model toy.lal --format json text
prints '"form": "(", "begin": 42, "end": 43, "bytes": [43, 44]'
prints '"p": '
prints '"tree": "(TOP ('
for threads in 1 2 5; do "$lal" parse --model toy.lal --format json --threads $threads dev.trees --input brackets > json.$threads; done
name='threads'; cmp json.1 json.2 && cmp json.1 json.5 || complain 'the output depends on the number of threads'
printf 'a b c\n\nd\n' > lines
expect 'pretokenised text' 0 "$lal" parse --model toy.lal --pretokenized lines
lines 3
[ -z "$(sed -n 2p out)" ] || complain 'the empty line was lost'
expect 'given tags' 0 "$lal" parse --model toy.lal --input conll --tags given --format conllx dev.conllx
cut -f 5 out > tags.out; cut -f 5 dev.conllx > tags.gold
cmp tags.out tags.gold || complain 'the tags are not those given'
expect 'tags without tagged input' 2 "$lal" parse --model toy.lal --tags given text
expect 'an empty file' 0 "$lal" parse --model toy.lal /dev/null
silent
expect 'standard input' 0 sh -c "\"$lal\" parse --model toy.lal - < text"
lines 3
expect 'several files, order kept' 0 "$lal" parse --model toy.lal text text
lines 6
expect 'documents in CoNLL-U' 0 "$lal" parse --model toy.lal --format conllu text lines text
[ "$(grep '^# newdoc' out)" = "$(printf '# newdoc id = text\n# newdoc id = lines\n# newdoc id = text')" ] || complain 'each file should be a document'
expect 'documents in JSON' 0 "$lal" parse --model toy.lal --format json text lines
[ "$(grep -c '"document": "text"' out) $(grep -c '"document": "lines"' out)" = '3 2' ] || complain 'each sentence should name its file'
expect 'one document' 0 "$lal" parse --model toy.lal --format conllu text
grep -q newdoc out && complain 'one file is not several documents'
expect 'documents of tokens' 0 "$lal" tokenize --format json text lines
prints '{"document": "lines", "line": 3, "paragraph": true'
printf '*x*x*\n*x* (C) x *x*\n( (S (NP (NN -LCB-a]) (CD 1\\/2)) (VP (VBZ is) (NN -LRB-))) )\n( (S (-NONE- *)) )\n' > ptb
expect 'words as spelled in the treebank' 0 "$lal" parse --model toy.lal --input brackets ptb
prints ' -LCB-a])'
prints ' 1\/2)'
prints ' -LRB-)'
says 'ptb:1: note: skipped the header (lines that begin with *x*)'
says 'ptb:4: note: skipped a tree that has only traces'
expect 'all brackets escaped' 0 "$lal" parse --model toy.lal --input brackets --escape all ptb
prints ' -LCB-a-RSB-)'
prints ' 1/2)'
expect 'round brackets escaped' 0 "$lal" parse --model toy.lal --input brackets --escape round --format conllx ptb
prints '	{a]	'
expect 'spelling of CoNLL-X' 0 "$lal" parse --model toy.lal --input brackets --format conllx ptb
prints '	-LCB-a]	'
expect 'evalb on words as spelled in the treebank' 0 sh -c "\"$lal\" parse --model toy.lal --input brackets ptb > ptb.out 2>/dev/null; sed -n 3p ptb > ptb.gold; \"$lal\" evalb ptb.gold ptb.out"
prints 'Number of Valid sentence  =      1'
expect 'convert with words as spelled in the treebank' 0 "$lal" convert --escape input --top empty ptb
prints '( (S (NP (NN -LCB-a]) (CD 1\/2)) (VP (VBZ is) (NN -LRB-))))'
{ printf '\357\273\277'; cat dev.trees; } > marked.trees; { printf '\357\273\277'; cat dev.conllx; } > marked.conllx
expect 'byte order marks' 0 "$lal" convert --to conllx --deps marked.conllx marked.trees
cmp -s out dev.conllx || complain 'the dependencies are not those given'
expect 'byte order marks in scoring' 0 "$lal" eval --gold dev.trees --pred marked.trees
prints 'F1 100.00'
expect 'trees with too few dependencies' 1 sh -c "awk 'BEGIN { RS = \"\"; ORS = \"\n\n\" } NR <= 2' dev.conllx | \"$lal\" convert --to conllx --deps - dev.trees"
says '-: found 2 sentences, expected 20 as in dev.trees'
expect 'dependencies with too few trees' 1 sh -c "head -n 3 dev.trees > few; \"$lal\" convert --to conllx --deps dev.conllx few"
says 'dev.conllx: found 20 sentences, expected 3 as in few'
printf 'Good trees. Two.\n\nGood.\n\nBad \377 byte.\n\nNever read.\n' > partly
expect 'output before an error' 1 "$lal" tokenize partly
says 'partly:5:5: found bytes that are not UTF-8'
lines 3
i=0; while [ $i -lt 40000 ]; do echo "Line $i has a few words. It is short, too, and it goes"; i=$((i + 1)); done > paragraph
expect 'a paragraph of more than a MiB' 0 "$lal" tokenize --format json paragraph
says 'paragraph:1: note: a paragraph of more than 1 MiB is read in pieces'
[ "$(grep -c '"paragraph": true' out)" -eq 1 ] || complain 'it should be one paragraph'
head -n 10000 paragraph > part; tail -n 1 out > last; head -n 5000 out > head
expect 'a part of it' 0 "$lal" tokenize --format json part
head -n 5000 out | cmp -s - head || complain 'its sentences differ'
grep -q '"line": 40000, ' last || complain 'the last sentence should be in the last line'
rm -f in.pipe; mkfifo in.pipe
name='a paragraph from a pipe'; checks=$((checks + 1))
"$lal" parse --model toy.lal < in.pipe 2>err | cat > slow & pid=$!
exec 9> in.pipe
printf 'The first is here.\n\nThe second' >&9
n=0; while [ ! -s slow ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
[ "$(wc -l <slow)" -eq 1 ] || complain 'its tree should come before the next paragraph ends'
exec 9>&-
wait $pid
[ "$(wc -l <slow)" -eq 2 ] || complain 'the last paragraph was lost'
expect 'output to a file' 0 "$lal" parse --model toy.lal --output trees text
silent
[ "$(wc -l <trees)" -eq 3 ] || complain 'the file lacks trees'
yes 'tree' | head -n 2000 | tr '\n' ' ' > long
expect 'a sentence of 2000 words' 0 "$lal" parse --model toy.lal --pretokenized --max-words 150 long text
says 'a sentence of 2000 words was parsed in'
[ "$(wc -l <out)" -ge 2 ] || complain 'the rest of the input was lost'
head -c 100000 /dev/zero | tr '\0' 'x' > line
expect 'a line of 100000 bytes' 0 "$lal" parse --model toy.lal line
lines 1
printf 'good\nbad \377 byte\n' > invalid
expect 'invalid UTF-8' 1 "$lal" parse --model toy.lal invalid
says 'invalid:2:5: '
silent
printf 'nul \000 byte\n' > nul
expect 'a NUL byte' 1 "$lal" parse --model toy.lal nul
says 'nul:1:5: '
expect 'a missing file' 1 "$lal" parse --model toy.lal nothing
says 'nothing: cannot open: No such file or directory'
expect 'a folder' 1 "$lal" parse --model toy.lal .
says '.: cannot read: Is a directory'
expect 'a full disk' 1 "$lal" parse --model toy.lal --output /dev/full text
says '/dev/full: cannot write: No space left on device'
expect 'a full standard output' 1 sh -c "\"$lal\" parse --model toy.lal text > /dev/full"
says 'cannot write: No space left on device'
expect 'a closed pipe' 0 sh -c "(\"$lal\" parse --model toy.lal --input brackets train.trees train.trees; echo \$? > code) | head -n 1 > /dev/null"
[ "$(cat code)" -eq 141 ] || complain "exit status $(cat code) of the writer, expected 141 (SIGPIPE)"
expect 'a missing output folder' 1 "$lal" parse --model toy.lal --output nowhere/trees text
says 'nowhere/trees: cannot write: No such file or directory'
expect 'a failing run keeps the old file' 1 "$lal" parse --model toy.lal --output trees text nothing
[ "$(wc -l <trees)" -eq 3 ] || complain 'the old output was destroyed'
no_leftovers
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked; chmod a-w locked
    expect 'a folder without permission' 1 "$lal" parse --model toy.lal --output locked/trees text
    says 'Permission denied'
fi

# ---- invalid model files
head -c 3000 toy.lal > cut.lal
expect 'a truncated model' 1 "$lal" parse --model cut.lal text
says 'cut.lal: '
{ head -c 20000 toy.lal; printf '\001\002\003'; tail -c +20004 toy.lal; } > flipped.lal
expect 'a damaged model' 1 "$lal" parse --model flipped.lal text
says 'flipped.lal: the checksum does not match: the file is damaged'
sed 's/"lal.format": "1"/"lal.format": "9"/' toy.lal > newer.lal
expect 'a model of a newer format' 1 "$lal" parse --model newer.lal text
says 'newer.lal: found model format 9, this program reads up to 1'
expect 'a text as model' 1 "$lal" parse --model text text
says 'text: not a sound safetensors file'
expect 'a missing model' 1 "$lal" parse --model none.lal text
says 'none.lal: cannot open'
case $build in
*address*) ;; # AddressSanitizer reserves more address space than any limit
*)  # a file of 5 KB whose configuration has 3.6 GB of weights
    expect 'a configuration larger than its file' 1 sh -c "ulimit -v 1000000; \"$lal\" info \"$root/tests/fuzz/seeds/model/giant\""
    says 'giant: tensor dep_score.arc_h.weight: found shape [4, 1], expected [4, 30000] by the configuration' ;;
esac
expect 'an unknown treebank' 2 "$lal" parse --model toy.lal --treebank wsj text
says "--treebank: found 'wsj'"

# ---- invalid treebanks
bad() { # NAME FILE MESSAGE
    expect "$1" 1 "$lal" eval --model toy.lal --gold "$2"
    says "$3"
}
printf '(TOP (S (A a)\n' > t; bad 'unbalanced brackets' t 't:1:6: found the end of the file'
printf '(TOP (S (A a)))\n(TOP ())\n' > t; bad 'empty brackets' t 't:2:6: found empty brackets'
printf '' > t; bad 'an empty treebank' t 't:1:1: found no sentence'
printf '(TOP (S (A a) (B b)))\n' > t
deps() { # NAME ROWS MESSAGE
    printf "$2" > d
    expect "$1" 1 "$lal" eval --model toy.lal --gold t --gold-deps d
    says "$3"
}
deps 'other words' '1\ta\t_\tA\tA\t_\t0\troot\t_\t_\n2\tc\t_\tB\tB\t_\t1\tdep\t_\t_\n' "d:2: found word 2 'c', expected 'b' as in sentence 1 at t:1"
deps 'a cycle' '1\ta\t_\tA\tA\t_\t2\tdep\t_\t_\n2\tb\t_\tB\tB\t_\t1\tdep\t_\t_\n' 'd:1: found '
deps 'two roots' '1\ta\t_\tA\tA\t_\t0\troot\t_\t_\n2\tb\t_\tB\tB\t_\t0\troot\t_\t_\n' 'd:2: found a second root'

# ---- scores
sed -n 1,20p train.trees > train20
expect 'gold against itself' 0 "$lal" eval --gold dev.trees --gold-deps dev.conllx --pred dev.trees --pred-deps dev.conllx --format json
prints '"f1": 100.00, "complete": 100.00, "uas": 100.00, "las": 100.00'
expect 'a model against gold' 0 "$lal" eval --gold dev.trees --gold-deps dev.conllx --model toy.lal --format json
for key in sentences words precision recall f1 complete uas las uas_nopunct las_nopunct tag_accuracy; do prints "\"$key\": "; done
lines 1
expect 'a report' 0 "$lal" eval --gold dev.trees --gold-deps dev.conllx --model toy.lal --report
prints 'brackets by label'
prints 'gold type -> predicted type, with the correct head'
expect 'a report as JSON' 0 "$lal" eval --gold dev.trees --gold-deps dev.conllx --model toy.lal --report --format json
lines 1
prints '"report": {"label": {'
"$lal" parse --model toy.lal --input brackets dev.trees --output toy.trees
expect 'a comparison' 0 "$lal" eval --gold dev.trees --pred dev.trees --compare toy.trees --samples 200
prints 'F1           100.00 '
expect 'a comparison as JSON' 0 "$lal" eval --gold dev.trees --model toy.lal --compare dev.trees --samples 200 --format json --report
prints '"comparison": {"f1": {"a": '
prints '"report": {'
lines 1
expect 'a comparison with too few trees' 1 "$lal" eval --gold dev.trees --pred dev.trees --compare train.trees
says 'train.trees: found 80 sentences, expected 20 as in gold'
expect 'a report as TSV' 0 "$lal" eval --gold dev.trees --pred dev.trees --format tsv
prints "section	key	gold"
"$lal" convert --to tokens dev.trees | "$lal" parse --model toy.lal --format conllu > raw.conllu 2>/dev/null
expect 'words that differ' 0 "$lal" eval --align --gold-deps dev.conllx --pred-deps raw.conllu --format json
prints '{"words": 100.00, "sentences": '
expect 'another text' 1 "$lal" eval --align --gold-deps dev.conllx --pred-deps train.conllx
says 'expected the same text'
expect 'nothing to align' 2 "$lal" eval --align --gold-deps dev.conllx
head -n 3 dev.trees > few
{ sed -n 1p dev.trees; echo '(TOP (S (NN other) (NN words)))'; sed -n 3,20p dev.trees; } > other
expect 'a sentence of other words' 1 "$lal" eval --gold dev.trees --pred other
says 'other:2: sentence 2 is not scored: found'
says 'lal eval: 1 of 20 sentences were not scored'
prints 'sentences  19'
prints 'not scored 1 sentences'
expect 'no sentence that can be scored' 1 "$lal" eval --gold dev.trees --pred train20 --format json
[ "$(grep -c 'is not scored' err)" -eq 10 ] || complain 'ten sentences should be named'
says 'train20: more sentences are not scored'
prints '"sentences": 0, "words": 0, "unscored": 20'
expect 'too few trees' 1 "$lal" eval --gold dev.trees --pred few
says 'few: found 3 sentences, expected 20 as in gold'

expect 'statistics' 0 "$lal" stats --trees train.trees --deps train.conllx --trees dev.trees --deps dev.conllx --name one --name two
lines 5
prints '| one | 80 |'
prints '| all | 100 |'
expect 'statistics as JSON' 0 "$lal" stats --deps dev.conllx --format json
prints '"sentences": 20, '
prints '"one_head_spans": null'
expect 'statistics of nothing' 2 "$lal" stats

# ---- check
expect 'files that fit' 0 "$lal" check --trees dev.trees --deps dev.conllx
prints '20 sentences: 0 with different words, 0 phrases without exactly one head, 0 with crossing arcs, 0 flat groups'
printf '(TOP (S (NP (A a) (B b)) (C c)))\n(TOP (S (A a) (B b) (C c) (D d)))\n(TOP (S (A a) (B b)))\n(TOP (A a))\n' > ct
{ printf '1\ta\t_\tA\tA\t_\t3\tx\t_\t_\n2\tb\t_\tB\tB\t_\t3\tx\t_\t_\n3\tc\t_\tC\tC\t_\t0\troot\t_\t_\n\n'
  printf '1\ta\t_\tA\tA\t_\t3\tx\t_\t_\n2\tb\t_\tB\tB\t_\t4\tx\t_\t_\n3\tc\t_\tC\tC\t_\t4\tx\t_\t_\n4\td\t_\tD\tD\t_\t0\troot\t_\t_\n\n'
  printf '1\ta\t_\tA\tA\t_\t0\troot\t_\t_\n2\tx\t_\tB\tB\t_\t1\tx\t_\t_\n'; } > cd
expect 'every disagreement' 1 "$lal" check --trees ct --deps cd
prints "ct:1: 2 words of the phrase NP 'a b' (words 1 to 2) have a head outside it, expected 1"
prints 'cd:5: arcs cross'
prints 'ct:2: 1 groups of dependents are not contiguous'
prints "cd:11: word 2 is 'x', at ct:3 it is 'b' (2 words and 2)"
prints 'cd: 3 sentences, ct has 4'
says 'found 5 disagreements'

# ---- inspect
head -n 3 dev.trees > three
expect 'why' 0 "$lal" inspect --model toy.lal --input brackets --what all --top 0 --words three
lines 3
says '3 sentences explained, completeness_error '
prints '"kind": "span", "begin": 1'
prints '"kind": "arc", "word": 1'
prints '"kind": "type"'
prints '"attention": [['
prints '"right": true'
expect 'a table of heads' 0 "$lal" inspect --model toy.lal --input brackets --format tsv dev.trees
prints 'category	decisions	with_gold	right	head	leads	leads_right	mean_share	mean_part	mean_share_right	mean_part_right	mean_share_wrong	mean_part_wrong	completeness_error'
awk -F'\t' 'NR > 1 { n[$1] = $2; leads[$1] += $6; share[$1] += $8 } END { for (c in n) if (leads[c] != n[c] || share[c] < 0.999 || share[c] > 1.001) exit 1 }' out ||
    complain 'leaders should be as many as decisions, shares should add up to 1'
cp out one; "$lal" inspect --model toy.lal --input brackets --format tsv --threads 1 dev.trees > two 2>/dev/null; cmp one two || complain 'threads changed the table'
expect 'as text' 0 "$lal" inspect --model toy.lal --format text --method paper --top 2 text
prints 'confidence of the heads'
prints 'completeness_error '
expect 'confusions' 0 "$lal" inspect --model toy.lal --input brackets --format text dev.trees
prints 'phrases: the leading head attends most to a word inside in'
prints 'heads that lead most often in several categories'
prints 'confused labels (predicted for gold), and the heads that lead the difference of their scores:'
expect 'heads taken out' 0 "$lal" inspect --model toy.lal --input brackets --format text --remove 2 three
says 'removal of 2 heads from'
expect 'one span' 0 "$lal" inspect --model toy.lal --input brackets --span 1-2 --label NP --against VP three
prints '"begin": 1, "end": 2, "label": "NP", "against": "VP"'
expect 'a span out of range' 1 "$lal" inspect --model toy.lal --input brackets --span 1-99 --label NP three
says 'three:1: sentence 1: found words 1 to 99, expected a span of words 1 to'
expect 'an unknown label' 1 "$lal" inspect --model toy.lal --input brackets --span 1-2 --label KLINGON three
says "found label 'KLINGON', which the model does not know"
expect 'an invalid span' 2 "$lal" inspect --model toy.lal --span 2-1 --label NP three
says "--span: found '2-1', expected a range of words such as 2-5"
expect 'a label without a span' 2 "$lal" inspect --model toy.lal --label NP three
says '--label: expected --span as well'
# shellcheck disable=SC2086
"$lal" train $data $tiny --epochs 1 --no-use-lal --out plain.lal >/dev/null 2>&1 || complain 'training without label heads'
expect 'a model without label heads' 1 "$lal" inspect --model plain.lal three
says 'plain.lal: the model has no label heads with a query of their own'
expect 'heads' 0 "$lal" inspect heads --model toy.lal --trees dev.trees --deps dev.conllx --train train.trees --train-deps train.conllx
says '20 sentences, '
says 'conservation_error '
prints 'label:6'
prints 'global relevance of patterns'
prints 'rare_w '
expect 'heads taken out of the model' 0 "$lal" heads --model toy.lal --trees dev.trees --deps dev.conllx --mask 3
prints 'removal of single heads (3 sentences'
expect 'heads as numbers' 0 "$lal" heads --model toy.lal --trees dev.trees --gr next --gr rel_pos/window=5 --importance none --format tsv
prints 'gr:next	gr:rel_pos/window=5'
lines 9
expect 'heads as JSON' 0 "$lal" heads --model toy.lal --trees dev.trees --deps english.rules --format json --most 3
prints '"nsubj_to_head": {"queries": '
expect 'attention of heads' 0 "$lal" heads --model toy.lal --trees dev.trees --importance none --gr next --most 6 --show 1:2 --show label:3
prints '1:2 in sentence 1:'
prints 'label:3 in sentence 5:'
grep -q 'in sentence 6' out && complain 'five sentences are enough'
expect 'a page of heads' 0 "$lal" heads --model toy.lal --trees dev.trees --gr next --most 6 --html heads
silent
[ -s heads/heads.html ] && [ -s heads/style.css ] || complain 'the page is missing'
expect 'a page of heads and a table' 0 "$lal" heads --model toy.lal --trees dev.trees --gr next --most 6 --html heads --format tsv --output table
[ "$(head -n 1 table | cut -f 1)" = head ] || complain 'the table was not written'
expect 'a page of heads without label heads' 0 "$lal" heads --model plain.lal --trees dev.trees --gr next --most 6 --html plainheads
grep -q 'Label heads have a separate scale' plainheads/heads.html || complain 'the page is incomplete'
expect 'a page in a missing folder' 1 "$lal" heads --model toy.lal --trees dev.trees --gr next --most 6 --html nowhere/heads
says 'nowhere/heads: cannot make the folder: No such file or directory'
expect 'an invalid head' 2 "$lal" heads --model toy.lal --trees dev.trees --show 7:1
says "--show: found '7:1', expected a head of the model, such as 1:2 or label:1"
expect 'an unknown pattern' 2 "$lal" heads --model toy.lal --trees dev.trees --gr klingon
says "found pattern 'klingon', expected one of self, next, prev"
expect 'heads of nothing' 2 "$lal" heads --model toy.lal
says 'found no --trees and no --deps'
expect 'why in CoNLL-U' 0 "$lal" parse --model toy.lal --why --format conllu text
prints 'SpaceAfter=No|Why='
expect 'why in JSON' 0 "$lal" parse --model toy.lal --why --format json text
prints '"constituents": [{"begin": 1'
prints '"why": [['
cp out one; "$lal" parse --model toy.lal --why --format json --threads 1 text > two; cmp one two || complain "threads changed why"
expect 'the cost of why' 0 "$lal" bench --model toy.lal --text text --only why --seconds 0.01
prints '{"name": "why", "phrases": '
expect 'why in pieces' 0 "$lal" parse --model toy.lal --why --format conllu --max-words 3 text
prints 'Why='
expect 'why in brackets' 2 "$lal" parse --model toy.lal --why text
says '--why: expected --format json or conllu'
expect 'why without label heads' 1 "$lal" parse --model plain.lal --why --format json text
says 'the model has no label heads'
expect 'nothing to explain' 0 "$lal" inspect --model toy.lal /dev/null
silent

expect 'judged by trees and dependencies' 0 "$lal" inspect --model toy.lal --input brackets --deps dev.conllx --what all --format tsv dev.trees
awk -F'\t' '$1 == "arc" && $3 == $2 && $2 > 0 { found = 1 } END { exit !found }' out || complain 'every arc should have been judged'
cp out one
expect 'judged by head rules' 0 "$lal" inspect --model toy.lal --input brackets --deps english.rules --what arcs --format tsv dev.trees
expect 'dependencies of other sentences' 1 "$lal" inspect --model toy.lal --input brackets --deps train.conllx dev.trees
says 'train.conllx:1'
expect 'dependencies without trees' 2 "$lal" inspect --model toy.lal --deps dev.conllx text
says '--deps: expected --input brackets'
expect 'one file of dependencies for two of trees' 2 "$lal" inspect --model toy.lal --input brackets --deps dev.conllx dev.trees dev.trees
says '--deps: found 2 files of trees, expected one'
expect 'a lead of a label over itself' 2 "$lal" inspect --model toy.lal --span 1-2 --label NP --against NP text
says '--against: found the label of --span'
expect 'phrases of gold that are missing' 0 "$lal" inspect --model toy.lal --input brackets three
prints '"missed": [{"kind": "span"'
prints '"p": '
expect 'a site' 0 "$lal" inspect --model toy.lal --input brackets --html site three
silent
for f in index.html decisions.html sentences.html parts.svg style.css script.js s/1.html s/3.html; do [ -s "site/$f" ] || complain "site/$f is missing"; done
absent site/s/4.html
grep -rhoE "https?://[^\"' ]*" site | grep -v '^http://www.w3.org/' && complain 'pages name other places'
expect 'a site and a table' 0 "$lal" inspect --model toy.lal --input brackets --html site --format tsv --output table three
[ "$(head -n 1 table | cut -f 1)" = category ] || complain 'the table was not written'
expect 'a site in a missing folder' 1 "$lal" inspect --model toy.lal --html nowhere/site text
says 'nowhere/site: cannot make the folder: No such file or directory'
expect 'a site without a name' 2 "$lal" inspect --model toy.lal --html '' text
says '--html: expected the name of a folder'
expect 'a site of leads, which gold does not judge' 0 "$lal" inspect --model toy.lal --input brackets --against NP --html leads three
grep -q 'the least confident first' leads/decisions.html && grep -q 's/1.html#d' leads/decisions.html || complain 'leads should be listed'
expect 'a site of nothing' 0 "$lal" inspect --model toy.lal --html empty /dev/null
grep -q '<dt>sentences</dt><dd>0</dd>' empty/index.html || complain 'an empty input should have an empty site'
for threads in 1 3; do "$lal" inspect --model toy.lal --input brackets --what all --threads $threads --html site$threads dev.trees 2>/dev/null; done
name='threads and sites'; diff -r site1 site3 >/dev/null || complain 'the site depends on the number of threads'

# ---- draw
expect 'a tree' 0 "$lal" draw --sentence 2 dev.trees
prints '<svg xmlns="http://www.w3.org/2000/svg"'
prints '<title>Tree:'
expect 'arcs' 0 "$lal" draw dev.conllx
prints '<title>Dependencies:'
expect 'a sentence that is not there' 1 "$lal" draw --sentence 21 dev.trees
says 'dev.trees: found 20 sentences, expected at least 21'
expect 'arcs of a tree' 1 "$lal" draw --what arcs dev.trees
says 'dev.trees:1: found a tree without dependencies, expected dependencies'

# ---- convert
expect 'a treebank to itself' 0 "$lal" convert dev.trees
cmp -s out dev.trees || complain 'the trees changed'
expect 'CoNLL to itself' 0 "$lal" convert --to conllx dev.conllx
cmp -s out dev.conllx || complain 'the dependencies changed'
expect 'trees with heads to CoNLL' 0 "$lal" convert --to conllx --deps dev.conllx dev.trees
cmp -s out dev.conllx || complain 'the dependencies are not those given'
printf '<S ID=1>\n( (S (NP-SBJ-1 (NN {a})\n    (-NONE- *T*-1)) (VP (VP (V b)))) )\n</S>\n(X (Y (-NONE- *)) (Z c))\n' > raw
expect 'markup, functions, traces' 0 "$lal" convert raw
prints '(TOP (S (NP (NN {a})) (VP (VP (V b)))))'
prints '(TOP (X (Z c)))'
expect 'functions and traces kept' 0 "$lal" convert --functions keep --traces keep --top none --escape all raw
prints '(S (NP-SBJ-1 (NN -LCB-a-RCB-) (-NONE- *T*-1)) (VP (VP (V b))))'
prints '(X (Y (-NONE- *)) (Z c))'
expect 'unary chains joined' 0 "$lal" convert --unary collapse --top ROOT raw
prints '(ROOT (S (NP (NN {a})) (VP::VP (V b))))'
cp out joined
expect 'unary chains split' 0 "$lal" convert --unary expand joined
prints '(TOP (S (NP (NN {a})) (VP (VP (V b)))))'
expect 'indented trees' 0 "$lal" convert --to pretty --top empty raw
lines 7
cp out pretty
expect 'indented trees read back' 0 "$lal" convert pretty
prints '(TOP (S (NP (NN {a})) (VP (VP (V b)))))'
expect 'tokens of a treebank' 0 "$lal" convert --to tokens raw
prints '{a} b'
printf '(S (NN \244\244\244\345))\n' > big5
expect 'another encoding' 0 "$lal" convert --encoding BIG5 --to tokens big5
prints "$(printf '\344\270\255\346\226\207')"
expect 'bytes of another encoding' 1 "$lal" convert big5
says 'big5:1:8: found bytes that are not UTF-8'
expect 'an unknown encoding' 2 "$lal" convert --encoding KLINGON big5
says "--encoding: found 'KLINGON'"
printf 'x\377\n' > bad
expect 'bytes that are invalid in the encoding' 1 "$lal" convert --encoding GB18030 bad
says 'bad:1:2: found bytes that are not GB18030'
echo '( (IP-MAT (N-A jarðar$-jörð) (D-G $innar-hinn) (C 0)) (ID X,.1))' > psd
expect "IcePaHC's leaves" 0 "$lal" convert --from icepahc psd
prints '(TOP (IP (N-A jarðarinnar)))'
echo '(S (NP-SBJ (NN (kantor berita))) (VP (*-1) (VB (ada))))' > idn
expect 'words in brackets' 0 "$lal" convert --from idn idn
prints '(TOP (S (NP (NN kantor_berita)) (VP (VB ada))))'
echo '#1:1.[1] NP(property:N:甲|Head:N:乙)#。(P)' > sinica
expect 'Sinica notation' 0 "$lal" convert --to conllx sinica
prints '1	甲	_	N	N	_	2	property	_	_'
echo '<?xml version="1.0"?><sentence><cons cat="NP"><tok cat="PERIOD">.</tok></cons></sentence>' > genia
expect 'XML' 0 "$lal" convert genia
prints '(TOP (NP (. .)))'
expect 'dependencies to trees' 1 "$lal" convert dev.conllx
says 'dev.conllx: found dependencies without trees'

# ---- evalb
evalb=$build/evalb
expect 'evalb on itself' 0 "$evalb" dev.trees dev.trees
prints 'Bracketing FMeasure       = 100.00'
prints 'Number of Valid sentence  =     20'
expect 'lal evalb' 0 "$lal" evalb dev.trees dev.trees
prints 'Complete match            = 100.00'
{ printf '(TOP'; for i in $(seq 300); do printf ' (NP (NN a) (NN b))'; done; printf ')\n'; } > wide
expect 'a sentence longer than EVALB can hold' 0 "$evalb" wide wide
says '1 : note: wide has 600 words, 301 brackets, 5706 bytes here, more than EVALB can hold'
prints '   1  600    0  100.00 100.00   301    301  301      0    600   600   100.00'
expect 'fewer test trees' 0 "$evalb" dev.trees few
says ' : Number of lines unmatch (too many lines in gold file)'
expect 'fewer gold trees' 0 "$evalb" few dev.trees
says ' : Number of lines unmatch (too many lines in test file)'
printf '(S (A a))\n(S (A a)\n' > open; printf '(S (A a))\n(S (A a))\n' > closed
expect 'unbalanced brackets in evalb' 0 "$evalb" closed open
says '2 : Bracketing is unbalanced (too many open bracket)'
prints 'Number of Error sentence  =      1'
printf '(S (A b))\n(S (A a) (A a))\n(S (A a))\n' > errors; for i in 1 2 3; do echo '(S (A a))'; done > three
expect 'a folder as trees' 1 "$evalb" . closed
says '.: cannot read: Is a directory'
expect 'a folder as a parameter file' 1 "$evalb" -p . closed closed
says '.: cannot read: Is a directory'
word=$(head -c 3000 /dev/zero | tr '\0' w)
printf '(S (A %s))\n' "$word" > wordy
expect 'a long word in a message' 0 "$evalb" three wordy
says "1 : Words unmatch (a|$word)"
expect 'errors are named and counted' 0 "$evalb" three errors
says '1 : Words unmatch (a|b)'
says '2 : Length unmatch (1|2)'
prints 'Number of Error sentence  =      2'
expect 'too many errors' 1 "$evalb" -e 0 three errors
says '2 : Length unmatch (1|2)'
expect 'lal evalb: too many errors' 1 "$lal" evalb -e0 three errors
says '2 : Length unmatch (1|2)'
expect 'empty lines are skipped sentences' 0 sh -c "printf '\n(S (A a))\n' > e; \"$evalb\" e e"
prints 'Number of Skip  sentence  =      1'
printf '# a comment\n\nLABELED 0\nDELETE_LABEL X\n' > prm
printf '(S (B (A a)))\n' > g; printf '(S (C (A a)))\n' > h
expect 'unlabelled' 0 "$evalb" -p prm g h
prints 'Bracketing FMeasure       = 100.00'
printf 'LABELED 1\nLABLED 0\nDEBUG\n' > prm
expect 'a wrong keyword in a parameter file' 0 "$evalb" -p prm g h
says 'Unknown keyword (LABLED 0) in parameter file'
says 'Empty value in parameter file (3)'
printf 'EQ_LABEL ADVP\n' > prm
expect 'half a pair in a parameter file' 0 "$evalb" -p prm g h
says 'EQ_LABEL requires two values'
printf '#%s\nDELETE_LABEL %s\n' "$word" "$word" > prm
printf '(S (%s (A a)))\n' "$word" > longlabel
expect 'a parameter longer than EVALB can hold' 0 "$evalb" -d -p prm longlabel longlabel
prints '1    0  100.00 100.00     1      1    1'
expect 'a label without an end' 0 sh -c "printf '(S (A a)\n(S (A a) (NP \n' > cut; \"$evalb\" cut cut"
says '2 : More than two elements in a bracket'
expect 'a missing parameter file' 1 "$evalb" -p none.prm g h
says "Can't open parameter file (none.prm)"
expect 'a missing tree file' 1 "$evalb" g none.trees
says "Can't open test file (none.trees)"
expect 'too few files for evalb' 1 "$evalb" g
says "Can't open test file ((null))"
expect 'a wrong option of evalb' 0 "$evalb" -x g h
says 'evalb [-dDh][-c n][-e n][-p param_file] gold-file test-file'
expect 'a full disk under evalb' 1 sh -c "\"$evalb\" g h > /dev/full"
says 'cannot write: No space left on device'
expect 'a full disk under the messages of evalb' 1 sh -c "\"$evalb\" three errors 2> /dev/full"
expect 'a closed pipe under evalb' 1 sh -c "{ sleep 1; \"$evalb\" -D dev.trees dev.trees; echo \$? > status; } | :; exit \$(cat status)"
says 'cannot write: Broken pipe'
expect 'no standard output under evalb' 1 sh -c "\"$evalb\" g h >&-"
says 'cannot write: Bad file descriptor'
# these would take hours if all pairs of brackets were compared
many=300000
chain() { head -c $((many * 3)) /dev/zero | sed "s/\x00\x00\x00/($1 /g"; printf '(A a)'; head -c $many /dev/zero | tr '\0' ')'; echo; }
chain X > chain; chain Y > other
expect 'a deep chain of brackets' 0 "$evalb" chain chain
prints "100.00 100.00   $many    $many  $many      0      1     1   100.00"
expect 'a deep chain of other brackets' 0 "$evalb" chain other
prints "0.00   0.00     0    $many  $many      0      1     1   100.00"
head -c $((many * 3)) /dev/zero | sed 's/\x00\x00\x00/(X (A a) /g' > right; { head -c $many /dev/zero | tr '\0' ')'; echo; } >> right
{ head -c $((many * 3)) /dev/zero | sed 's/\x00\x00\x00/(X /g'; head -c $((many * 3)) /dev/zero | sed 's/\x00\x00\x00/(A a))/g'; echo; } > left
expect 'many crossing brackets' 0 "$evalb" right left
prints "0.00   0.00     1    $many  $many    $((many - 2))   $many  $many   100.00"

# ---- the rest
expect 'nothing' 2 "$lal"
says 'usage: lal COMMAND'
expect 'the commands' 0 "$lal" help
awk 'length > 80 { exit 1 }' out && [ "$(wc -l <out)" -le 24 ] || complain 'the list should fit on one screen'
for c in $(sed -n 's/^  \([a-z]*\) .*/\1/p' out) ; do
    expect "help $c fits on a screen" 0 "$lal" help "$c"
    awk '!/^  --/ && length > 90 { exit 1 }' out || complain 'lines are too long'
    grep -q TEXT out && complain 'values should have names'
done
expect 'the options of evalb' 0 "$lal" help evalb
prints '  -p FILE'
expect 'the manual page' 0 "$lal" help manual
prints '\fB--train-deps\fR \fIFILE\fR'
prints '  -p FILE'
expect 'an unknown command' 2 "$lal" prase
says "unknown command 'prase'"
expect 'an unknown option' 2 "$lal" parse --modle toy.lal
says "unknown option '--modle'"
for c in parse tokenize train eval info bench; do
    expect "help $c" 0 "$lal" help $c
    prints "usage: lal $c"
    prints '(default'
done
expect 'the version' 0 "$lal" --version
expect 'info' 0 "$lal" info --format json toy.lal
prints '"labels": ["<H>"'
expect 'tokens' 0 "$lal" tokenize text
lines 3
prints 'It never ( really ) sees the river !'
expect 'the shipped model' 0 "$lal" parse "$root/examples/news.txt"
[ "$(grep -c '^(TOP (' out)" -ge 3 ] || complain 'the shipped model gave too few trees'
expect 'the shipped model by another name' 0 env LAL_MODEL="$work/toy.lal" "$lal" info
prints 'toy.lal'

echo "$checks runs, $failed complaints"
[ $failed -eq 0 ]
