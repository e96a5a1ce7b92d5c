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

# ---- regular and irregular forms of every kind
grep -v '^#' "$root/tests/english/lemmas.tsv" >forms
awk -F'\t' '{ print "(TOP (FRAG (" $2 " " $1 ")))" }' forms >forms.trees
rules=$root/models/headrules/english.rules
expect 'lemmas of forms' 0 "$lal" convert --to conllu --to-deps ud --deps "$rules" forms.trees
grep '^1	' out | cut -f 3 | paste forms - | awk -F'\t' '("|" $3 "|") !~ ("[|]" $4 "[|]")' >wrong
test ! -s wrong || complain "wrong lemmas:" "$(cat wrong)"
test "$(grep -c '^1	' out)" -eq "$(grep -c . forms)" || complain 'a form is missing'

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

# ---- lemma-train: slips of the pen and of the annotators, words of a treebank without lemmas
{
    row 1 teh the DT 0 root | sed 's/_/Typo=Yes/'; row 2 gleep gleep VB 1 dep; row 3 gleep gleep VB 1 dep
    row 4 gleeped glop VBD 1 dep; row 5 min min NN 1 dep; row 6 min min NN 1 dep
    row 7 mins minute NNS 1 dep; row 8 mins minute NNS 1 dep; echo
} >slips.conllu
{ row 1 flunch _ VB 0 root; row 2 flunch _ VBP 1 dep; row 3 pilp _ VBD 1 dep; echo; } >more.conllu
expect 'slips' 0 "$build/lemma-train" words slips.conllu -- more.conllu
says 'left out: gleeped VBD glop, not gleep'
prints ' mins	1	ute'
prints ' flunches	2	'
! grep -q ' teh\|glop\| pilp' out || complain 'a slip was learnt'
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
