#!/bin/sh
# lemmas.sh BUILD-FOLDER: lemmas in the output of `lal parse`, and lemma-train.
. "$(dirname "$0")/harness.sh"
unset LAL_MODEL

printf 'The children weren’t going home.\n' >text
expect 'lemmas of CoNLL-U' 0 "$lal" parse --format conllu text
cut -f 2,3 out >columns
for pair in 'The the' 'children child' 'were be' 'n’t not' 'going go'; do
    grep -qxF "${pair% *}	${pair#* }" columns || complain "no row with $pair"
done

expect 'lemmas of JSON' 0 "$lal" parse --format json text
prints '"tag": "NNS", "lemma": "child"'

# ---- lemma-train: endings from four words, one of them irregular; a name; a piece of a word, which is left out
row() { printf '%s\t%s\t%s\tX\t%s\t_\t%s\t%s\t_\t_\n' "$@"; }
{
    row 1 Gleeped gleep VBD 0 root; row 2 zaped zape VBD 1 dep; row 3 foped fope VBD 1 dep; row 4 riped ripe VBD 1 dep
    row 5 Zork Zork NNP 1 obj; row 6 with without IN 1 dep; row 7 out _ IN 6 goeswith; echo
} >train.conllu
printf 'VBD lope loped lupe\nregular VB mope\n' >words
expect 'lemma-train' 0 "$build/lemma-train" words train.conllu
grep '^VBD	0	' out >row
grep -q '	 lupe	3	ope' row || complain 'no rule of an irregular word'
grep -q '	 gleeped	2	' row || complain 'no rule of a regular word'
prints 'VBG	0	'
prints 'NNP	2		1	'
! grep -q 'with' out || complain 'a piece of a word was learnt'
says 'rules in'
echo 'regular XX mope' >wrong
expect 'words with an error' 1 "$build/lemma-train" wrong train.conllu
says "expected VB, NN or JJ"
expect 'a treebank with an error' 1 "$build/lemma-train" words text
says 'lemma-train: text:1:1: found 1 tab-separated columns'
{ row 1 Went go VBD 0 root; row 2 Lemmas lemma NNS 1 obj; row 3 Kzp other NN 1 dep; echo; } >test.conllu
expect 'accuracy' 0 "$build/lemma-train" --test test.conllu train.conllu
says 'test.conllu: 66.67 of 3 words, 66.67 of 3 unseen'
prints 'unseen	Kzp	NN	other	kzp'

finish
