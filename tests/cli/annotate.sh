#!/bin/sh
# annotate.sh BUILD-FOLDER: `lal parse --arcs`, `--types` and `--spans`: trees under given arcs, arcs under given
# phrases, half-annotated input, what is left free, invalid input.
. "$(dirname "$0")/harness.sh"
make_toy

# Heads and types of a CoNLL file.
arcs() { cut -f 7,8 "$1"; }
same_arcs() { arcs "$1" > a.arcs; arcs "$2" > b.arcs; cmp -s a.arcs b.arcs || complain "$1 and $2 have other arcs"; }

# ---- arcs

expect 'all arcs given' 0 "$lal" parse --model toy.lal --input conll --arcs given --format conllx dev.conllx
same_arcs out dev.conllx
[ ! -s err ] || complain 'there is nothing to report'
expect 'arcs given, in CoNLL-U' 0 "$lal" parse --model toy.lal --input conll --arcs given --format conllu dev.conllx
prints '# deps = Stanford basic 3.3.0'
grep -v '^#' out > plain.conllu
same_arcs plain.conllu dev.conllx
expect 'arcs given and trees' 0 "$lal" parse --model toy.lal --input conll --arcs given --tags given dev.conllx
cp out given.trees
lines 20
expect 'every phrase agrees with the arcs' 0 "$lal" convert check given.trees --deps dev.conllx
grep -q 'outside' out && complain 'a phrase has several words with heads outside'
expect 'trees are better for it' 0 "$lal" parse --model toy.lal --input conll --tags given dev.conllx
f1() { "$lal" evalb dev.trees "$1" | sed -n 's/^Bracketing FMeasure *= *//p' | head -1; }
awk "BEGIN { exit !($(f1 given.trees) >= $(f1 out)) }" || complain "$(f1 given.trees) F1 with arcs, $(f1 out) without"
expect 'the own parse' 0 "$lal" parse --model toy.lal --input tokens --format json --deps stanford text
cp out own.json
expect 'the own parse, given' 0 "$lal" parse --model toy.lal --input json --arcs given --spans given --format json \
    own.json
for f in own.json out; do sed 's/.*"tree": "\([^"]*\)".*/\1/' $f > $f.tree; done
cmp own.json.tree out.tree || complain 'the parse is another one'

sed '2~3s/^\(\([^	]*	\)\{6\}\)[0-9]*	[^	]*/\1_	_/' dev.conllx > half.conllx
expect 'every third word is free' 0 "$lal" parse --model toy.lal --input conll --arcs given --format conllx half.conllx
cp out full.conllx
arcs full.conllx | grep -q _ && complain 'a head is missing'
paste half.conllx full.conllx | awk -F '\t' 'NF > 10 && $7 != "_" && ($7 != $17 || $8 != $18)' > lost
[ ! -s lost ] || { complain 'given arcs are lost'; head -3 lost; }
expect 'types predicted' 0 "$lal" parse --model toy.lal --input conll --arcs given --types predict --format conllx \
    dev.conllx
for threads in 2 5; do
    "$lal" parse --model toy.lal --input conll --arcs given --threads $threads --format json half.conllx > json.$threads
done
cmp -s json.2 json.5 || complain 'the output depends on the number of threads'
for format in brackets conllu json conllx pretty; do
    expect "half annotated, $format" 0 "$lal" parse --model toy.lal --input conll --arcs given --format $format \
        half.conllx
    [ -s out ] || complain 'no output'
done
expect 'contributions to given arcs' 0 \
    "$lal" parse --model toy.lal --input conll --arcs given --format json --why half.conllx
prints '"why": '

# row WORD HEAD TYPE...: rows of a sentence
rows() {
    n=0
    while [ $# -gt 0 ]; do
        n=$((n + 1))
        printf '%d\t%s\t_\t_\t_\t_\t%s\t%s\t_\t_\n' $n "$1" "$2" "$3"
        shift 3
    done
    echo
}
{
    echo '# a cycle, and a comment'
    rows the 2 det dog 1 dep sleeps 0 root
    rows a 3 x b 4 x c 0 root d 3 x
    rows a 1 x b 0 root c 0 root
    rows a 2 zzz b 0 root
} > bad.conllx
expect 'arcs that no tree has' 0 "$lal" parse --model toy.lal --input conll --arcs given --format conllx bad.conllx
[ "$(grep -c 'is left free' err)" -eq 4 ] || { complain 'four arcs cannot be kept'; cat err; }
says "bad.conllx:2: the arc of word 1 'the' to word 2 'dog' is left free: it is part of a cycle"
says "bad.conllx:7: the arc of word 2 'b' to word 4 'd' is left free: it crosses the arc of word 1 'a' to word 3 'c'"
says "bad.conllx:11: the arc of word 1 'a' to word 1 'a' is left free: a word cannot be its own head"
says "bad.conllx:13: the arc of word 3 'c' as the root is left free: a tree has one root, and word 2 'b' is given"
says '4 of 12 given arcs were left free'
says "bad.conllx:3: the model has no type 'dep'; 6 given types were predicted for this reason"
for threads in 1 5; do
    "$lal" parse --model toy.lal --input conll --arcs given --threads $threads bad.conllx > bad.$threads 2> err.$threads
done
cmp -s bad.1 bad.5 && cmp -s err.1 err.5 || complain 'the output or the report depends on the number of threads'

rows a 2 dep b 0 root c 9 dep > range.conllx
echo kept > target
expect 'a head out of range' 1 "$lal" parse --model toy.lal --input conll --arcs given --out target range.conllx
says 'range.conllx:3: found head 9 in a sentence of 3 words, expected 0 to 3 or _'
[ "$(cat target)" = kept ] || complain 'the output file was changed'
no_leftovers
rows a -1 dep > negative.conllx
expect 'a negative head' 1 "$lal" parse --model toy.lal --input conll --arcs given negative.conllx
says "found '-1' as head, expected a number"
rows a 0 root b _ _ > free.conllx
expect 'a free head where arcs are not given' 1 "$lal" parse --model toy.lal --input conll free.conllx
says "free.conllx:2:13: found '_' as head, expected a number"
expect 'arcs of text' 2 "$lal" parse --model toy.lal --arcs given text
says '--arcs given: found no heads in the input, expected --input conll or json'

# ---- phrases

expect 'all phrases given' 0 "$lal" parse --model toy.lal --input brackets --spans given --tags given dev.trees
cp out spans.trees
"$lal" convert dev.trees > dev.plain
cmp spans.trees dev.plain || complain 'the trees are others'
expect 'arcs of given phrases' 0 "$lal" parse --model toy.lal --input brackets --spans given --deps stanford \
    --format conllx dev.trees
cp out spans.conllx
expect 'they agree with the phrases' 0 "$lal" convert check dev.trees --deps spans.conllx
grep -q 'outside' out && complain 'a phrase has several words with heads outside'
printf '(TOP (S (NEW (DT the) (NN dog)) (_ (VBZ sleeps))))\n(TOP (DT the) (NN dog))\n' > partial.trees
expect 'labels that are new or free' 0 "$lal" parse --model toy.lal --input brackets --spans given partial.trees
prints '(S (NEW ('
grep -q '(_' out && complain 'a label is missing'
expect 'phrases added' 0 "$lal" parse --model toy.lal --input brackets --spans partial partial.trees
prints '(NEW ('
expect 'new labels in JSON, with contributions' 0 \
    "$lal" parse --model toy.lal --input brackets --spans given --format json --why partial.trees
prints '"label": "NEW"'
expect 'phrases of CoNLL' 2 "$lal" parse --model toy.lal --input conll --spans given dev.conllx
says '--spans: found no phrases in the input, expected --input brackets or json'

word() { printf '{"form": "%s"%s}' "$1" "$2"; }
phrase() { printf '{"label": "%s", "begin": %d, "end": %d}' "$1" "$2" "$3"; }
printf '{"tokens": [%s, %s, %s], "constituents": [%s, %s, %s]}\n' "$(word the '')" "$(word old '')" "$(word dog '')" \
    "$(phrase S 0 3)" "$(phrase NP 0 2)" "$(phrase VP 1 3)" > cross.json
expect 'phrases that cross' 0 "$lal" parse --model toy.lal --input json --spans given --format json cross.json
says 'cross.json:1: the phrase'
says 'is left free: it crosses'
says '1 of 3 given phrases were left free'
printf '{"tokens": [%s, %s, %s], "constituents": [%s]}\n' "$(word the ', "head": 2, "type": "det"')" \
    "$(word old ', "head": 2')" "$(word dog ', "head": -1, "type": "root"')" "$(phrase NP 0 2)" > both.json
expect 'phrases that the arcs forbid' 0 \
    "$lal" parse --model toy.lal --input json --spans given --arcs given --format conllx both.json
says 'both.json:1: the phrase NP over words 1 to 2 is left free: no tree with the given arcs has it'

# ---- what must not be

not() { # BANS [MEMBERS]: a sentence of the treebank's words
    printf '{"tokens": [%s, %s, %s]%s, "not": [%s]}\n' "$(word the '')" "$(word old '')" "$(word dog '')" "$2" "$1"
}
expect 'no ban' 0 "$lal" parse --model toy.lal --input json --spans partial -f conllx --deps stanford cross.json
not '{"begin": 0, "end": 2}, {"token": 0, "head": 1}' \
    ', "constituents": [{"label": "NP", "begin": 1, "end": 3}]' >not.json
expect 'a phrase and an arc' 0 "$lal" parse --model toy.lal --input json --spans partial not.json
prints '(NP ('
grep -q '^(TOP ([^ ]* ([^ ]* ([A-Z]* the) ([A-Z]* old))' out && complain 'the phrase is there'
expect 'and its arcs' 0 "$lal" parse --model toy.lal --input json --spans partial --deps stanford -f conllx not.json
[ "$(awk -F '\t' '$1 == 1 { print $7 }' out)" = 2 ] && complain 'the arc is there'
not '{"begin": 0, "end": 3}' '' >all.json
expect 'a ban that leaves no tree' 0 "$lal" parse --model toy.lal --input json --spans partial all.json
says 'all.json:1: what must not be is allowed, as no tree is left without it: the phrase _ over words 1 to 3'
not '{"begin": 1, "end": 9}' '' >far.json
expect 'a ban outside' 1 "$lal" parse --model toy.lal --input json --spans partial far.json
says "far.json:1:1: found a phrase in 'not' outside of the tokens"

# ---- what was corrected is learnt from

expect 'a treebank in JSON' 0 "$lal" parse --model toy.lal --input json --spans partial --deps stanford -f json \
    not.json cross.json
cp out corrected.json
expect 'is learnt from' 0 "$lal" train --init toy.lal --name mine --train corrected.json --dev corrected.json \
    --epochs 1 --out mine.lal
says 'mine F1'
says 'LAS'

# ---- in pieces

expect 'in pieces' 0 "$lal" parse --model toy.lal --input conll --arcs given --max-words 4 --format conllx dev.conllx
says 'was parsed in'
says 'is left free: the sentence was parsed in pieces'
arcs out > pieces.arcs; arcs dev.conllx > gold.arcs
lost=$(paste pieces.arcs gold.arcs | awk -F '\t' '$1 != $3' | wc -l)
[ "$lost" -eq "$(grep -c 'is left free' err)" ] || complain "$lost arcs are lost, the report has others"
expect 'phrases in pieces' 0 "$lal" parse --model toy.lal --input brackets --spans given --max-words 4 dev.trees
says 'is left free: the sentence was parsed in pieces'
expect 'a model without dependencies' 0 \
    "$lal" train --train train.trees --dev dev.trees $tiny --out trees.lal
expect 'arcs for a model without them' 2 "$lal" parse --model trees.lal --input conll --arcs given dev.conllx
says '--arcs given: the model has no dependencies'
expect 'phrases for a model without dependencies' 0 \
    "$lal" parse --model trees.lal --input brackets --spans given --tags given dev.trees
cmp out dev.plain || complain 'the trees are others'
finish
