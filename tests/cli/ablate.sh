#!/bin/sh
# ablate.sh BUILD-FOLDER: recipes/ablate.py: the runs of a plan, interrupted, continued and changed; its table; its
# messages.
. "$(dirname "$0")/harness.sh"
make_toy
ablate=$root/recipes/ablate.py
export LAL="$lal"
"$build/tests/support/make_treebank" 24 1 train && "$build/tests/support/make_treebank" 30 3 test || exit 1

model='"d_model": 32, "n_layers": 1, "n_heads": 2, "d_kv": 16, "d_ff": 48, "n_label_heads": 6, "lal_d_kv": 8,
    "lal_d_proj": 8, "d_label_hidden": 24, "d_arc": 24, "d_type": 12, "d_tag_hidden": 16, "affix_buckets": 50'
sets='"train": "train.trees", "train_deps": ["train.conllx"], "dev": "dev.trees", "dev_deps": "dev.conllx",
    "test": "test.trees", "test_deps": "test.conllx", "name": "toy"'

# plan FILE SEEDS VARIANTS [MORE]
plan() {
    printf '{"base": {"model": {%s}, "train": {"batch_size": 6, "epochs": 2, "warmup": 5,
"checks_per_epoch": 1}},\n"data": {%s},\n"seeds": %s,
"variants": {%s}, "resamples": 500%s}\n' "$model" "$sets" "$2" "$3" "${4:-}" >"$1"
}
# What a table says apart from times, and from losses, of which an interruption loses those since the last check.
scores() { cut -f 1-28 out; }

# ---- a base that is a preset over another one
printf '{"preset": "small", "train": {"epochs": 4}}' >over.json
printf '{"base": "over.json", "variants": {"a": {"model": {"d_model": 64}}}}' >base.json
expect 'a preset over another one' 0 "$ablate" base.json --check
prints 'a: 4 epochs'
printf '{"preset": "over.json"}' >twice.json
printf '{"base": "twice.json", "variants": {"a": {}}}' >base.json
expect 'a preset over one that is over another one' 2 "$ablate" base.json --check
says 'base.json:1:2: base: over.json: preset: found the preset of a preset'
printf '{"base": "guided", "variants": {"plain": {"encoder_options": {"heads": []}}, "a": {}}}' >base.json
expect 'a preset with options' 0 "$ablate" base.json --check

# ---- a plan in one go, and one that is interrupted
variants='"plain": {}, "deep": {"model": {"n_layers": 2}}, "more": {"start_from": "plain", "train": {"epochs": 1}}'
plan plan.json '[1, 2]' "$variants"
expect 'the list of runs' 0 "$ablate" plan.json --check
prints '3 variants, 2 seeds: 6 runs; differences to plain, 500 resamples'
prints 'more, from the model of plain: 1 epoch'
absent ablation
expect 'a plan' 0 "$ablate" plan.json --out whole --format tsv --threads 1
says 'run 1 of 6: plain, seed 1'
says 'run 6 of 6: more, seed 2'
[ "$(grep -c ', trained in ' err)" -eq 6 ] || complain 'each run should be reported'
lines 4
scores >whole.tsv
for v in plain deep more; do
    for s in 1 2; do
        [ "$(wc -l <whole/$v/seed-$s/sentences.tsv)" -eq 51 ] || complain "$v: 20 dev and 30 test sentences expected"
        [ -s whole/$v/seed-$s/model.lal ] || complain "$v: it should keep the model"
        absent whole/$v/seed-$s/train.ckpt
    done
done
for step in 3 5; do # in the first run, then, from its 5th update on, at each call in the next one
    expect "interrupted at update $step" 1 "$ablate" plan.json --out part --stop-at-step $step
    says 'stopped in plain, seed 1, after update '
    says 'the same command continues: ablate.py plan.json --out part'
    silent
done
expect 'the rest' 0 "$ablate" plan.json --out part --format tsv
says 'run 1 of 6: plain, seed 1: continued'
scores >part.tsv
name='an interrupted plan'; cmp whole.tsv part.tsv || complain 'its table differs'
for f in plain/seed-1/sentences.tsv more/seed-2/sentences.tsv; do
    cmp whole/$f part/$f || complain 'its counts differ'
done

# ---- what is finished is not repeated
echo killed >part/more/seed-2/train.ckpt # before it was removed
expect 'a finished plan' 0 "$ablate" plan.json --out part --format tsv
absent part/more/seed-2/train.ckpt
[ -s err ] && { complain 'it should do nothing'; cat err; }
scores | cmp - part.tsv || complain 'its table differs'
expect 'without its models' 0 sh -c "rm part/*/*/model.lal; '$ablate' plan.json --out part --format tsv"
scores | cmp - part.tsv || complain 'its statistics should need no parsing'
expect 'its table as text' 0 "$ablate" plan.json --out whole --no-run
prints 'mean ± standard deviation over seeds; models are chosen on dev'
prints 'plain        2  '
prints 'difference to plain on test, in points; p: paired randomisation over 30 sentences of each seed that both have,'
prints '500 samples; Holm: p corrected for 2 variants; * marks a corrected p below .05'
expect 'its table as JSON' 0 "$ablate" plan.json --out whole --no-run --format json
python3 -c 'import json; t = json.load(open("out")); assert len(t["variants"]) == 3 and t["missing"] == []' ||
    complain 'it should be JSON'

# ---- what has changed is made again
sed 's/"deep": {"model": {"n_layers": 2}}/"deep": {"model": {"n_layers": 3}}/' plan.json >changed.json
expect 'a changed variant' 0 "$ablate" changed.json --out whole
says 'run 2 of 6: deep, seed 1: model.n_layers was 2, is 3: trained again'
[ "$(grep -c 'trained again' err)" -eq 2 ] || { complain 'two runs have changed'; cat err; }
expect 'another seed' 0 sh -c "sed 's/\[1, 2\]/[1, 2, 5]/' changed.json >more.json; '$ablate' more.json --out whole"
[ "$(grep -c '^run ' err)" -eq 3 ] || { complain 'only seed 5 is new'; cat err; }
expect 'other test data' 0 "$ablate" changed.json --out whole --test dev.trees --test-deps dev.conllx
[ "$(grep -c ': scored only$' err)" -eq 6 ] || { complain 'it should only score'; cat err; }
expect 'other training data, not run' 0 "$ablate" changed.json --out whole --no-run --train dev.trees \
    --train-deps dev.conllx
prints '  deep, seed 2: not run'
expect 'other training data' 0 "$ablate" changed.json --out whole --train dev.trees --train-deps dev.conllx
says 'run 1 of 6: plain, seed 1: the training data changed: trained again'
says 'run 3 of 6: more, seed 1: the training data changed; a model that it needs changed: trained again'
no_leftovers

# ---- runs that are missing
expect 'no time' 0 "$ablate" plan.json --out short --max-hours 0.00000001
prints 'missing runs, because of max_hours:'
prints '  deep, seed 1: not run'
prints '  more, seed 2: needs a run that is missing'
prints 'plain        1  '
plan failing.json '[1]' '"wild": {"train": {"lr": 10, "group": ["=1000"], "weight_decay": 1}},
    "after": {"start_from": "wild"}, "plain": {}' \
    ', "reference": "plain"'
expect 'a run that fails' 0 "$ablate" failing.json --out failing
says 'wild, seed 1 failed: '
says 'plain, seed 1, dev F1 '
prints 'finite'
prints '  after, seed 1: needs a run that is missing'
expect 'again' 0 "$ablate" failing.json --out failing
[ -s err ] && { complain 'it should not be repeated'; cat err; }
expect 'other test data, without the model' 0 sh -c "rm failing/plain/seed-1/model.lal
    '$ablate' failing.json --out failing --test dev.trees --test-deps dev.conllx"
says 'plain, seed 1: other test data, and its model was removed: trained again'
expect 'without dev data' 2 "$ablate" failing.json --dev none --dev-deps none
says 'found --dev none and no --dev-deps file'
printf '{"variants": {"a": {}}}' >bare.json
expect 'a plan without data' 2 "$ablate" bare.json
says 'found no training files'
expect 'a plan without dev data' 2 "$ablate" bare.json --train train.trees
says 'found no dev files, on which models are chosen'
expect 'only trees, without test' 0 "$ablate" plan.json --out trees --no-run --train-deps none --dev-deps none

# ---- encoder options
# head NUMBER PATTERN USE [MORE]
head() {
    printf '{"stack": "self", "layers": "all", "heads": [%s], "pattern": "%s", "use": "%s"%s}' "$1" "$2" "$3" "${4:-}"
}
masks="$(head 0 seprat mask), $(head 1 prev fixed)"
plan options.json '[4]' "\"plain\": {}, \"masks\": {\"encoder_options\": {\"heads\": [$masks]}},
    \"guided\": {\"encoder_options\": {\"heads\": [$(head 0 next guide)]}},
    \"oracle\": {\"encoder_options\": {\"heads\": [$(head 0 dep_syn mask)], \"syntax\": {\"source\": \"gold\"}}},
    \"gates\": {\"start_from\": \"plain\", \"train\": {\"lr\": 0.01, \"epochs\": 1},
      \"encoder_options\": {\"gates\": {\"kind\": \"hard_concrete\", \"lambda\": 30, \"lr_scale\": 1000}}},
    \"small\": {\"start_from\": \"gates\", \"prune\": true, \"train\": {\"lr\": 0, \"epochs\": 1},
      \"encoder_options\": {\"gates\": {\"kind\": \"hard_concrete\"}}},
    \"again\": {\"heads_of\": \"gates\", \"encoder_options\": {\"gates\": {\"kind\": \"constant\"}}}"
expect 'encoder options' 0 "$ablate" options.json --out options --format tsv
says 'oracle: ORACLE run: '
says 'ORACLE oracle, seed 4, dev F1 '
# value VARIANT COLUMN
value() {
    awk -F '\t' -v v="$1" -v c="$2" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == c) n = k } $1 == v { print $n }' out
}
for v in plain:2 masks:2 guided:2 gates:0 again:0 small:0; do
    [ "$(value ${v%:*} self_heads)" = ${v#*:} ] || complain "$v: $(value ${v%:*} self_heads) heads are open"
done
for k in dev_f1 test_uas test_las; do [ "$(value gates $k)" = "$(value small $k)" ] || complain "pruning: $k"; done
"$lal" model info -m options/small/seed-4/pruned.lal >/dev/null || complain 'it should write the pruned model'
[ "$(value plain oracle)$(value oracle oracle)" = 01 ] || complain 'the column oracle is wrong'
[ -z "$(value plain rho)" ] || complain 'a model without masks has no rho'
awk -v rho="$(value masks rho)" 'BEGIN { exit !(rho > 0.5 && rho < 1) }' || complain "rho of masks: $(value masks rho)"

# ---- masks that read parses; folds make those of the training sentences
syn=$(head 0 dep_syn mask)
masked() { printf '"%s": {"encoder_options": {"heads": [%s], "syntax": {"source": %s}}}' "$1" "$syn" "$2"; }
files='"file", "train_file": "train.conllx", "dev_file": "dev.conllx", "test_file": "test.conllx"'
plan syntax.json '[4]' \
    "\"plain\": {}, $(masked roles '"first_pass"'), $(masked self '"self"'), $(masked file "$files"),
    \"segments\": {\"encoder_options\": {\"heads\": [$(head 0 intra_span mask ', "source": "first_pass"')],
      \"syntax\": {\"source\": \"first_pass\"}}}" \
    ', "first_pass": {"variant": "plain", "folds": 2}'
expect 'masks that read parses' 0 "$ablate" syntax.json --out syntax --format tsv
for v in roles self file segments; do [ -n "$(value $v test_las)" ] || complain "$v has no scores"; done
[ "$(grep -c '"tree"' syntax/first-pass/train.jsonl)" -eq 24 ] || complain 'the parses of folds are incomplete'
plan alone.json '[4]' '"plain": {}'
expect 'a plan without a first pass has the same runs' 0 "$ablate" alone.json --out syntax
[ "$(grep -c 'run ' err)" -eq 0 ] || complain 'it should not be trained again'
# another first pass, and one that was interrupted
cp syntax/roles/seed-4/sentences.tsv roles.tsv
rm -r syntax/roles syntax/first-pass
expect 'parses of folds that are missing' 0 "$ablate" syntax.json --out syntax
says 'run 2 of 5: first-pass, 2 folds'
cmp syntax/roles/seed-4/sentences.tsv roles.tsv || complain 'the scores differ'
sed 's/"folds": 2/"folds": 3/' syntax.json >three.json
expect 'three folds' 0 "$ablate" three.json --out syntax
says 'run 2 of 5: first-pass, 3 folds'
says 'run 2 of 5: roles, seed 4: the number of folds changed: trained again'
rm -r syntax/roles
expect 'stopped in a fold' 1 "$ablate" syntax.json --out syntax --stop-at-step 3
says 'stopped in first-pass'
expect 'the rest of the folds' 0 "$ablate" syntax.json --out syntax
cmp syntax/roles/seed-4/sentences.tsv roles.tsv || complain 'the scores differ'

# ---- a pretrained encoder
"$lal" model import "$root/tests/golden/encoders/mpnet-tiny" --out enc.lal 2>/dev/null
heads='"heads": [{"stack": "pretrained_pal", "heads": "all", "pattern": "prev", "use": "mask"}]'
pal='"pal": {"pretrained_layers": "all", "width": 8, "heads": 2}'
variants="\"plain\": {}, \"pal\": {\"encoder_options\": {$heads, $pal}}, \"on\": {\"start_from\": \"pal\",
\"encoder_options\": {$heads, $pal}, \"train\": {\"epochs\": 1}}"
plan encoder.json '[1]' "$variants"
expect 'heads of no encoder' 2 "$ablate" encoder.json --check
says 'the model has no pretrained encoder; --pretrained FILE gives it one'
expect 'variants with an encoder' 0 "$ablate" encoder.json --pretrained enc.lal --out encoded --format tsv
says 'run 3 of 3: on, seed 1'
lines 4
expect 'what a run has' 0 "$lal" model info -m encoded/pal/seed-1/model.lal
prints 'pretrained  mpnet, 2 layers'
expect 'again' 0 "$ablate" encoder.json --pretrained enc.lal --out encoded
grep -q 'run 1 of' err && complain 'no run should be repeated'
"$lal" model import "$root/tests/golden/encoders/mpnet-tiny" --out enc.lal --store f16 2>/dev/null
expect 'another encoder' 0 "$ablate" encoder.json --pretrained enc.lal --out encoded
says 'run 1 of 3: plain, seed 1: '
expect 'two encoders' 2 "$ablate" encoder.json --pretrained enc.lal --pretrained enc.lal --out encoded
says 'found 2 pretrained encoders, expected one'
expect 'a missing encoder' 1 "$ablate" encoder.json --pretrained none.lal --check
says 'none.lal'

# ---- word vectors
plan vectors.json '[1]' '"plain": {}, "longer": {"start_from": "plain"}'
printf 'the 0.1 0.2 0.3\nyellow -0.1 0.2 0.4\n' >words.vec
expect 'word vectors' 0 "$ablate" vectors.json --vectors words.vec --out vectors
expect 'what a run has' 0 "$lal" model info -m vectors/longer/seed-1/model.lal
prints 'd_vectors=3'
expect 'again' 0 "$ablate" vectors.json --vectors words.vec --out vectors
grep -q 'run 1 of' err && complain 'no run should be repeated'
sed -i 's/0.3/0.5/' words.vec
expect 'other vectors' 0 "$ablate" vectors.json --vectors words.vec --out vectors
says 'run 1 of 2: plain, seed 1: '
expect 'two files of vectors' 2 "$ablate" vectors.json --vectors words.vec --vectors words.vec --check
says 'found 2 files of word vectors, expected one'

# ---- other tasks
guided="\"plain\": {}, \"guided\": {\"encoder_options\": {\"heads\": [$(head 0 next guide)]}}"
# task TASK DATA MODEL VARIANTS, a plan in TASK.json
task() {
    printf '{"task": "%s", "base": {"model": {"d_model": 16, "n_layers": 1, "n_heads": 2, "d_kv": 8, "d_ff": 32%s},
"train": {"epochs": 2, "batch_size": 20, "warmup": 5, "lr": 0.02, "average": 0, "checks_per_epoch": 1}},
"data": {%s},\n"seeds": [3], "variants": {%s}, "resamples": 100}\n' "$1" "$3" "$2" "$4" >"$1.json"
}
# columns NAME...: those of scores and differences
columns() {
    found=$(sed 1q out | tr '\t' '\n' | grep -E '^(dev|test|difference|p|holm)_' | grep -v _deviation | paste -sd ' ')
    [ "$found" = "$*" ] || complain "found the columns $found"
}
compared() { for k; do printf 'difference_%s p_%s holm_%s ' "$k" "$k" "$k"; done; }
for s in train dev; do
    awk '$2 != "" { line = line " " $2 } $2 == "" { print substr(line, 2); line = "" }' $s.conllx >$s.en
    awk '{ printf "%s\t%s\n", NF < 16 ? "short" : "long", $0 }' $s.en >$s.tsv
    tr a-y b-z <$s.en >$s.de
done
all='"stacks": ["self", "decoder", "cross"]'
task translate '"train": "train.en", "target": "train.de", "dev": ["dev.en"], "dev_target": "dev.de", "test": "dev.en",
    "test_target": "dev.de"' ', "decoder_layers": 1, "pieces": 60' "$guided, \"small\": {\"start_from\": \"plain\",
    \"prune\": true, \"encoder_options\": {\"gates\": {\"kind\": \"hard_concrete\", $all,
    \"freeze_after\": false, \"lambda\": 30, \"lr_scale\": 1000}}},
    \"again\": {\"heads_of\": \"small\", \"encoder_options\": {\"gates\": {\"kind\": \"constant\", $all}}}"
expect 'translation' 0 "$ablate" translate.json --out translate --format tsv
says 'run 4 of 4: again, seed 3'
says 'guided, seed 3, dev BLEU '
columns dev_bleu dev_nll test_bleu test_nll $(compared bleu nll)
[ "$(value guided dev_nll)" = "$(value guided test_nll)" ] || complain 'equal data should have equal scores'
grep '"best": true' translate/guided/seed-3/log.jsonl | tail -n 1 | grep -q "\"nll\": $(value guided dev_nll)}" ||
    complain "the loss should be the one of training, $(value guided dev_nll)"
[ "$(value plain self_heads)$(value small self_heads)" = 20 ] || complain 'all heads should be closed'
awk -v p="$(value small p_nll)" 'BEGIN { exit !(p > 0 && p <= 1) }' || complain "p of small: $(value small p_nll)"
bleu=$(value guided dev_bleu)
expect 'the heads that were left' 0 "$lal" model info -m translate/again/seed-3/model.lal
prints '"constant": [0, 0, 0, 0, 0, 0]'
expect 'the same translations' 0 "$lal" translate -m translate/guided/seed-3/model.lal -o pred.de dev.en
expect 'their score' 0 "$lal" eval --measure bleu --gold dev.de --pred pred.de
prints "$(printf 'BLEU       %.2f' "$bleu")"
expect 'again' 0 "$ablate" translate.json --out translate
[ -s err ] && { complain 'it should not be repeated'; cat err; }
prints 'paired randomisation over 20 pairs of each seed that both have,'
expect 'other test data' 0 "$ablate" translate.json --out translate --test train.en --test-target train.de
[ "$(grep -c ': scored only$' err)" -eq 4 ] || { complain 'it should only score'; cat err; }
expect 'a target that is missing' 2 "$ablate" translate.json --out translate --dev dev.en --dev train.en
says '--dev-target: found 1 and 2 --dev files, expected as many'
task classify '"train": "train.tsv", "dev": "dev.tsv"' '' "$guided"
expect 'classes' 0 "$ablate" classify.json --out classes --format tsv
columns dev_accuracy test_accuracy $(compared accuracy)
grep '"best": true' classes/plain/seed-3/log.jsonl | tail -n 1 |
    grep -q "\"accuracy\": $(printf %.2f "$(value plain dev_accuracy)")" || complain 'it should be the one of training'
task mask '"train": "train.en", "dev": "dev.en", "input": "tokens", "replace": "0.3"' '' "$guided"
expect 'hidden words' 0 "$ablate" mask.json --out mask --format tsv
columns dev_accuracy dev_nll test_accuracy test_nll $(compared accuracy nll)
grep '"best": true' mask/plain/seed-3/log.jsonl | tail -n 1 | grep -q "\"loss\": $(value plain dev_nll)}" ||
    complain "the loss should be the one of training, $(value plain dev_nll)"
expect 'more hidden words' 0 sh -c "'$ablate' mask.json --out mask --replace 0.4 --stop-at-step 1; true"
says 'plain, seed 3: how words are replaced changed: trained again'
for s in train dev; do # documents of four sentences
    awk '{ gsub(/["\\]/, ""); d = d (d == "" ? "" : ", ") "\"" $0 "\"" } NR % 4 == 0 {
        printf "{\"sentences\": [%s], \"segments\": [{\"begin\": 0}, {\"begin\": %d}]}\n", d, 1 + NR % 3; d = "" }' \
        $s.en >$s.jsonl
done
task segments '"train": "train.jsonl", "dev": "dev.jsonl", "test": "train.jsonl"' ', "context": 0, "use_lal": false' \
    '"plain": {}, "deep": {"model": {"n_layers": 2}}'
expect 'boundaries' 0 "$ablate" segments.json --out segments --format tsv
columns dev_f1 dev_p_k dev_window_diff test_f1 test_p_k test_window_diff $(compared f1 p_k window_diff)
scored=$(for k in f1 p_k window_diff; do printf '%.2f ' "$(value deep test_$k)"; done)
expect 'the same boundaries' 0 "$lal" eval -m segments/deep/seed-3/model.lal --gold train.jsonl
[ "$(awk 'NR <= 3 { printf "%s ", $2 }' out)" = "$scored" ] || complain "the scores should be $scored"
expect 'an unknown task' 2 sh -c "sed 's/mask/maks/' mask.json >bad.json; '$ablate' bad.json"
says "bad.json:1:2: task: found \"maks\", expected parse|classify|classes|summary|segments|detect|mask|translate; did"
expect 'data of another task' 2 "$ablate" classify.json --target train.de
says 'classify.json: found data "target" and the task classify, which has train|dev|test|'

# ---- messages
mkdir checks
expect 'messages, changes and tables' 0 sh -c "cd checks && python3 '$root/tests/cli/ablate_checks.py'"
[ -s out ] && cat out
expect 'an error in a plan' 2 "$ablate" --check /dev/stdin
says '/dev/stdin:1:1: found the end, expected more JSON'
printf '{"variants": {"a": {"model":\n  {"d_modle": 3}}}}' >bad.json
expect 'an unknown key' 2 "$ablate" bad.json
says "bad.json:2:4: a: model: unknown configuration key \"d_modle\"; did you mean 'd_model'?"
absent ablation
expect 'no plan' 2 "$ablate"
says 'found 0 plans, expected one'
expect 'a plan that is not there' 1 "$ablate" nowhere.json
says 'nowhere.json: cannot open'
expect 'a folder that cannot be made' 1 "$ablate" plan.json --out nowhere/x
says 'nowhere/x: cannot make the folder'
sed -i '5s/\t[0-9]*$/\tx/' part/deep/seed-2/sentences.tsv
expect 'a count that is none' 1 "$ablate" plan.json --out part --no-run
says 'part/deep/seed-2/sentences.tsv, dev: 5:1: found something else, expected 8 numbers'
printf 'x\n' >part/plain/seed-1/sentences.tsv
expect 'damaged results' 1 "$ablate" plan.json --out part
says 'part/plain/seed-1/sentences.tsv:'
# a run that cannot end by itself, interrupted when it has begun
plan plan.json '[1]' '"plain": {}'
sed 's/"epochs": 2/"epochs": 100000/' plan.json >endless.json
cat >interrupt <<END
"$ablate" endless.json --out sig 2>log & pid=\$!
until [ -s sig/plain/seed-1/train.ckpt ] || ! kill -0 \$pid; do sleep 0.1; done
"$ablate" endless.json --out sig >/dev/null 2>second; echo \$? >>second
"$ablate" endless.json --out sig --no-run >table
kill -TERM \$pid
wait \$pid; status=\$?
cat log >&2; exit \$status
END
expect 'an interruption' 75 sh interrupt
says 'the same command continues: ablate.py endless.json --out sig'
grep -q 'sig: found another process that writes here (process [0-9]* on .*), expected one at a time' second &&
    grep -qx 1 second || { complain 'a second process should be refused'; cat second; }
grep -q 'plain, seed 1: not run' table || complain 'the table of what is there'
no_leftovers

finish
