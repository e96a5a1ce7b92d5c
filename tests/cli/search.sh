#!/bin/sh
# search.sh BUILD-FOLDER: lal search over trees, CoNLL-U, JSON and raw text: what is found, how it is written, what is
# refused, and files that are broken.
. "$(dirname "$0")/harness.sh"
make_toy || exit 1
unset NO_COLOR COLUMNS
tab=$(printf '\t') esc=$(printf '\033')

# unfold: lines that begin with four blanks go on with the line before, after a blank.
unfold() { sed -e :a -e '$!N' -e 's/\n    / /' -e ta -e P -e D; }
# is: the output is standard input.
is() { unfold >wanted; cmp -s wanted out || { complain 'other output'; diff wanted out; }; }
# refuses MESSAGE ARGUMENT...: status 2, and the message.
refuses() { message=$1; shift; expect "refused: $*" 2 "$lal" search "$@"; says "$message"; silent; }

# Nodes of the first tree: TOP 1, S 2, NP 3, DT 4, the 5, NN 6, dog 7, VP 8, VBD 9, saw 10, NP 11, NP 12, DT 13, a 14,
# NN 15, cat 16, PP 17, IN 18, with 19, NP 20, NNS 21, ears 22.
cat >a.trees <<'END'
(TOP (S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (NP (DT a) (NN cat)) (PP (IN with) (NP (NNS ears)))))))
(TOP (S (NP (NNS cats)) (VP (VBP sleep))))
(TOP (S (NP (DT the) (NN cat)) (VP (VBD saw) (NP (DT the) (NN dog)) (PP (IN with) (NP (NNS eyes))))))
(TOP (FRAG (NP (DT no) (NN dog))))
END
cat >a.conllu <<'END'
# text = Dogs don't eat fish.
1	Dogs	dog	NOUN	NNS	Number=Plur	4	nsubj	4:nsubj	_
2-3	don't	_	_	_	_	_	_	_	_
2	do	do	AUX	VBP	Mood=Ind	4	aux	4:aux	_
3	n't	not	PART	RB	_	4	advmod	4:advmod	_
4	eat	eat	VERB	VB	VerbForm=Inf	0	root	0:root	_
5	fish	fish	NOUN	NN	Number=Sing	4	obj	4:obj	SpaceAfter=No
6	.	.	PUNCT	.	_	4	punct	4:punct	_

# text = Cats and dogs sleep
1	Cats	cat	NOUN	NNS	Number=Plur	4	nsubj	4:nsubj	_
2	and	and	CCONJ	CC	_	3	cc	3:cc	_
3	dogs	dog	NOUN	NNS	Number=Plur	1	conj	1:conj:and|4:nsubj	_
4	sleep	sleep	VERB	VBP	_	0	root	0:root	_

END
unfold >a.jsonl <<'END'
{"id": 7, "line": 3, "text": "The dogs bark", "confidence": {"p_tree": 0.25, "expected_f1": 0.75},
    "tokens": [{"form": "The", "begin": 0, "end": 3, "tag": "DT", "lemma": "the", "upos": "DET", "head": 1,
    "type": "det", "p": 0.9}, {"form": "dogs", "begin": 4, "end": 8, "tag": "NNS", "lemma": "dog", "upos": "NOUN",
    "feats": "Case=Nom|Number=Plur", "head": 2, "type": "nsubj", "p": 0.8, "why": [{"head": "label:5",
    "part": -0.5}]}, {"form": "bark", "begin": 9, "end": 13, "tag": "VBP", "lemma": "bark", "upos": "VERB",
    "head": -1, "type": "root", "p": 0.95}], "constituents": [{"label": "S", "begin": 0, "end": 3, "parent": -1,
    "p_joint": 0.99}, {"label": "NP", "begin": 0, "end": 2, "parent": 0, "p_joint": 0.4, "why": [{"head": "label:37",
    "part": 1.5}, {"head": "label:2", "part": 0.1}]}, {"label": "VP", "begin": 2, "end": 3, "parent": 0,
    "p_joint": 0.9}]}
END

# ---- what is found, and its status
expect 'a pattern of trees' 0 "$lal" search 'NP < (NP $+ PP)' a.trees
is <<'END'
1: the dog saw a cat with ears
END
expect 'no match' 1 "$lal" search 'ADJP' a.trees
silent
expect 'a file from standard input' 0 sh -c "\"$lal\" search 'PP > VP' <a.trees"
is <<'END'
3: the cat saw the dog with eyes
END
expect 'by its name' 0 sh -c "\"$lal\" search 'PP > VP' - <a.trees"
lines 1
gzip -k a.trees
expect 'a compressed file' 0 "$lal" search 'PP > VP' a.trees.gz
lines 1
cp a.trees a.txt
expect 'a treebank by its beginning' 0 "$lal" search 'PP > VP' a.txt
lines 1
mkdir -p folder/below && cp a.trees folder/b.trees && cp a.trees folder/below/a.trees
expect 'a folder' 0 "$lal" search 'PP > VP' folder
is <<'END'
folder/b.trees:3: the cat saw the dog with eyes
folder/below/a.trees:3: the cat saw the dog with eyes
END
expect 'two files' 0 "$lal" search 'S !< (VP < PP)' a.trees a.trees.gz
is <<'END'
a.trees:1: the dog saw a cat with ears
a.trees:2: cats sleep
a.trees.gz:1: the dog saw a cat with ears
a.trees.gz:2: cats sleep
END
expect 'a pattern of graphs' 0 "$lal" search '{tag:/NN.*/} <nsubj {}' a.conllu
is <<'END'
1: Dogs don't eat fish.
2: Cats and dogs sleep
END
expect 'the enhanced graph' 0 "$lal" search -c '{} <nsubj {}' a.conllu
prints '3 matches in 2 of 2 sentences'
expect 'the tree of heads' 0 "$lal" search -c --graph basic '{} <nsubj {}' a.conllu
prints '2 matches in 2 of 2 sentences'
expect 'words in any case' 0 "$lal" search -c -i '{word:DOGS}' a.conllu
prints '2 matches in 2 of 2 sentences'
expect 'words in their case' 1 "$lal" search '{word:DOGS}' a.conllu
expect 'one match in all' 0 "$lal" search --only '{cpos:NOUN}=n :: uniq n' a.conllu a.conllu
is <<END
a.conllu:1: Dogs${tab}n=Dogs
a.conllu:1: fish${tab}n=fish
a.conllu:2: Cats${tab}n=Cats
a.conllu:2: dogs${tab}n=dogs
END
expect 'the number of a sentence' 0 "$lal" search '{sentIndex:1;word:Cats}' a.conllu
lines 1
expect 'graphs of trees, by rules' 0 "$lal" search --only '{}=v >nsubj {}=s' a.trees
is <<END
1: saw${tab}v=saw${tab}s=dog
2: sleep${tab}v=sleep${tab}s=cats
3: saw${tab}v=saw${tab}s=cat
END
expect 'graphs of trees from standard input' 0 sh -c "\"$lal\" search -c --input brackets '{}=v >nsubj {}=s' <a.trees"
prints '3 matches in 3 of 4 sentences'
expect 'without a word about it' 2 sh -c "\"$lal\" search -c '{}=v >nsubj {}=s' <a.trees"
says 'found trees on standard input, expected --input brackets for their dependencies'

# ---- files that cannot be read do not end a search of several
printf '(S (NP (NN a)))\n(S (NP\n' >broken.trees
printf '(S (NP (NN b)))\n' >whole.trees
expect 'a file that is broken, and others' 2 "$lal" search NP broken.trees missing.trees whole.trees
is <<'END'
broken.trees:1: a
whole.trees:1: b
END
says 'broken.trees:2:1: '
says 'missing.trees: cannot open'
says '2 of 3 files could not be read'

# ---- the best parses of a sentence, and macros
unfold >best.json <<'END'
{"tokens": [{"form": "I", "tag": "PRP", "head": 1, "type": "nsubj"}, {"form": "saw", "tag": "VBD", "head": -1,
    "type": "root"}, {"form": "it", "tag": "PRP", "head": 1, "type": "obj"}], "constituents": [{"label": "S",
    "begin": 0, "end": 3}, {"label": "VP", "begin": 1, "end": 3}], "kbest": [{"p": 0.75,
    "constituents": [{"label": "S", "begin": 0, "end": 3}, {"label": "VP", "begin": 1, "end": 3}], "heads": [1, -1,
    1], "types": ["nsubj", "root", "obj"]}, {"p": 0.25, "constituents": [{"label": "S", "begin": 0, "end": 3},
    {"label": "NP", "begin": 1, "end": 3}], "heads": [2, 2, -1], "types": ["nsubj", "amod", "root"]}]}
{"tokens": [{"form": "Go", "tag": "VB", "head": -1, "type": "root"}], "constituents": [{"label": "VP", "begin": 0,
    "end": 1}]}
END
expect 'the best parse alone' 1 "$lal" search 'NP' best.json
expect 'parses by their ranks' 0 "$lal" search --kbest 3 'VP | NP' best.json
is <<'END'
1/1: I saw it
1/2: I saw it
2: Go
END
expect 'the first parse alone' 1 "$lal" search --kbest 1 'NP' best.json
expect 'arcs of a parse' 0 "$lal" search --kbest 2 --only '{} >amod {}=a' best.json
is <<END
1/2: it${tab}a=saw
END
expect 'a sentence is counted once' 0 "$lal" search --kbest 2 -c 'S' best.json
prints '2 matches in 1 of 2 sentences'
expect 'a rank in JSON' 0 "$lal" search --kbest 2 --format json 'NP' best.json
prints '{"sentence": 1, "rank": 2, '
expect 'conditions on a parse' 0 "$lal" search --kbest 2 --count-by 'sentence.rank, sentence.p' \
    --where 'sentence.p > 0.5 or sentence.rank = 2' 'S' best.json
is <<END
1${tab}1${tab}0.7500
1${tab}2${tab}0.2500
END
printf 'PHRASE\t/^[NV]P/\n' > macros.txt
expect 'a macro' 0 "$lal" search -c --macros macros.txt 'S < PHRASE' best.json
prints '1 match in 1 of 2 sentences'
printf 'PHRASE\n' > macros.txt
expect 'a macro without a replacement' 2 "$lal" search --macros macros.txt 'S < PHRASE' best.json
says 'macros.txt:1: found no tab, expected one between name and replacement'

# ---- formats
expect 'matches alone' 0 "$lal" search --only 'NP=whole < (NP $+ PP=rest)' a.trees
is <<END
1: a cat with ears${tab}whole=a cat with ears${tab}rest=with ears
END
expect 'trees' 0 "$lal" search --format brackets 'NP < (NP $+ PP)' a.trees
is <<'END'
(NP (NP (DT a) (NN cat)) (PP (IN with) (NP (NNS ears))))
END
expect 'whole trees' 0 "$lal" search --format brackets --whole 'NP < DT' a.trees
cmp -s out a.trees && complain 'one has no such NP'
grep -v cats a.trees | cmp -s - out || complain 'the trees should be those of the file'
expect 'numbers' 0 "$lal" search --format tsv 'NP=n < NN=x' a.trees
is <<END
1${tab}3 n=3 x=6${tab}12 n=12 x=15
3${tab}3 n=3 x=6${tab}11 n=11 x=14
4${tab}3 n=3 x=6
END
expect 'numbers of words, relations and edges' 0 "$lal" search --format tsv '{tag:VB}=v >obj=e {}=o' a.conllu
is <<END
1${tab}4 o=5 v=4 %e=obj &e=4>5:obj
END
expect 'numbers in two files' 0 "$lal" search --format tsv 'FRAG' a.trees a.txt
is <<END
a.trees:4${tab}2
a.txt:4${tab}2
END
expect 'JSON' 0 "$lal" search --format json 'NP=n < NN' a.trees
lines 3
sed 1q out >first && mv first out
is <<'END'
{"sentence": 1, "text": "the dog saw a cat with ears", "words": ["the", "dog", "saw", "a", "cat", "with", "ears"],
    "matches": [{"node": 3, "label": "NP", "begin": 0, "end": 2, "text": "the dog", "names": {"n": {"node": 3,
    "label": "NP", "begin": 0, "end": 2, "text": "the dog"}}}, {"node": 12, "label": "NP", "begin": 3, "end": 5,
    "text": "a cat", "names": {"n": {"node": 12, "label": "NP", "begin": 3, "end": 5, "text": "a cat"}}}]}
END
expect 'JSON of two files' 0 "$lal" search --format json 'FRAG' a.trees a.txt
prints '{"file": "a.trees", "sentence": 4, '
prints '{"file": "a.txt", "sentence": 4, '
expect 'CoNLL-U' 0 "$lal" search --format conllu '{lemma:fish}=f' a.conllu
{ echo '# match = 5 f=5'; sed '/^$/q' a.conllu; } | is
expect 'CoNLL-U of trees' 0 "$lal" search --format conllu '{word:cats}' a.trees
prints "1${tab}cats${tab}cat${tab}NOUN${tab}NNS${tab}Number=Plur${tab}2${tab}nsubj"
expect 'pictures' 0 "$lal" search --format svg 'NP < (NP $+ PP)' a.trees
python3 -c 'import sys, xml.dom.minidom as x; d = x.parse("out"); sys.exit("cat" not in d.toxml())' ||
    complain 'it should be SVG'
expect 'pictures of arcs' 0 "$lal" search --format svg '{word:Cats}' a.conllu
[ "$(grep -c '^<svg' out)" -eq 1 ] || complain 'one picture'
for f in text brackets json tsv conllu svg; do
    expect "raw text as $f" 0 "$lal" search -m 1 --model toy.lal --format $f 'S' text
    [ -s out ] || complain 'nothing is written'
done
refuses 'found a sentence without dependencies, expected one for --format conllu' --format conllu FRAG a.trees
expect 'no trees' 2 "$lal" search --format brackets '{lemma:fish}' a.conllu
says 'a.conllu:1: found a sentence without a tree, expected one for --format brackets'
expect 'colours' 0 "$lal" search --color always 'PP > NP' a.trees
is <<END
${esc}[32m1${esc}[0m${esc}[36m:${esc}[0m the dog saw a cat ${esc}[1;31mwith ears${esc}[0m
END
expect 'no colours' 0 env NO_COLOR=1 "$lal" search --color auto 'PP > NP' a.trees
grep -q "$esc" out && complain 'a colour'
expect 'a file' 0 "$lal" search -o got 'PP > NP' a.trees
silent
grep -q ears got || complain 'it should be in the file'

# ---- which sentences, and how many
expect 'counts' 0 "$lal" search -c NP a.trees
is <<'END'
9 matches in 4 of 4 sentences
END
expect 'counts of files' 0 "$lal" search -c FRAG a.trees a.txt
is <<'END'
a.trees:1 match in 1 of 4 sentences
a.txt:1 match in 1 of 4 sentences
END
expect 'counts as numbers' 0 "$lal" search -c --format tsv NP a.trees
is <<END
9${tab}4${tab}4
END
expect 'a count of nothing' 1 "$lal" search -c ADJP a.trees
prints '0 matches in 0 of 4 sentences'
grep FRAG a.trees >b.trees
expect 'names of files' 0 "$lal" search -l 'VP' a.trees b.trees
is <<'END'
a.trees
END
expect 'names of files with other sentences' 0 "$lal" search -l -v 'VP' a.trees b.trees
lines 2
expect 'other sentences' 0 "$lal" search -v 'VP < VBD' a.trees
is <<'END'
2: cats sleep
4: no dog
END
expect 'no other sentences' 1 "$lal" search -v NP a.trees
expect 'the first one of each file' 0 "$lal" search -m 1 'PP' a.trees a.txt
is <<'END'
a.trees:1: the dog saw a cat with ears
a.txt:1: the dog saw a cat with ears
END
expect 'what stands around' 0 "$lal" search -C 1 'VP < VBP' a.trees
is <<'END'
1- the dog saw a cat with ears
2: cats sleep
3- the cat saw the dog with eyes
END
expect 'what is left out' 0 sh -c "cat a.trees a.trees | \"$lal\" search -C 1 FRAG"
is <<'END'
3- the cat saw the dog with eyes
4: no dog
5- the dog saw a cat with ears
--
7- the cat saw the dog with eyes
8: no dog
END
expect 'the first one and what stands around' 0 "$lal" search -m 1 -C 1 'PP' a.trees
is <<'END'
1: the dog saw a cat with ears
2- cats sleep
END
expect 'a table' 0 "$lal" search --count-by 'n.word, n.tag' 'NN|NNS=n' a.trees
is <<END
3${tab}dog${tab}NN
2${tab}cat${tab}NN
1${tab}cats${tab}NNS
1${tab}ears${tab}NNS
1${tab}eyes${tab}NNS
END
expect 'a table of phrases' 0 "$lal" search --count-by 'match.label,match.words,match.word' 'NP < NP' a.trees
is <<END
1${tab}NP${tab}4${tab}cat
END

# ---- several patterns
printf '# phrases\nNP\nprep\tPP < IN\n\nnone\tADJP\n' >patterns
expect 'several patterns' 0 "$lal" search -f patterns a.trees
is <<END
sentence${tab}2${tab}prep${tab}none
1${tab}4${tab}1${tab}0
2${tab}1${tab}0${tab}0
3${tab}3${tab}1${tab}0
4${tab}1${tab}0${tab}0
END
expect 'their matches' 0 "$lal" search -f patterns --format tsv a.trees
is <<END
2${tab}1${tab}3${tab}11${tab}12${tab}20
prep${tab}1${tab}17
2${tab}2${tab}3
2${tab}3${tab}3${tab}11${tab}19
prep${tab}3${tab}16
2${tab}4${tab}3
END
expect 'their numbers' 0 "$lal" search -f patterns -c a.trees
is <<END
pattern${tab}matches${tab}sentences${tab}of
2${tab}9${tab}4${tab}4
prep${tab}2${tab}2${tab}4
none${tab}0${tab}0${tab}4
END
printf 'subj\t{} <nsubj {}\nnp\tNP\n' >both
expect 'trees and graphs' 0 "$lal" search -f both a.trees
is <<END
sentence${tab}subj${tab}np
1${tab}1${tab}4
2${tab}1${tab}1
3${tab}1${tab}3
4${tab}0${tab}1
END
echo '# nothing' >empty
refuses 'empty: found no pattern, expected one on each line' -f empty a.trees
printf 'NP\nbad\tNP <\n' >wrong
refuses 'pattern bad, column 5: found the end of the pattern' -f wrong a.trees

# ---- patterns that are joined: the head of the phrase is the word
expect 'joined patterns' 0 "$lal" search --only --tregex 'NP=s > S' --semgrex '{}=v >nsubj {}=s' a.trees
is <<END
1: the dog${tab}s=the dog${tab}v=saw
2: cats${tab}s=cats${tab}v=sleep
3: the cat${tab}s=the cat${tab}v=saw
END
expect 'joined patterns, numbers' 0 "$lal" search --format tsv --tregex 'NP=o > VP' --semgrex '{}=v >obj {}=o' a.trees
is <<END
1${tab}11+3 o=11+5 v=3
3${tab}11+3 o=11+5 v=3
END
expect 'joined patterns of one node that differ' 1 "$lal" search --tregex 'NP=o > S' --semgrex '{} >obj {}=o' a.trees

# ---- conditions. The dogs (p .4, head 37: 1.5) bark; nsubj of dogs has p .8 and head 5: -.5
# holds N CONDITION...: of the phrases of a.jsonl N are found with this condition on x.
holds() {
    expect "$2" "$([ "$1" -gt 0 ] && echo 0 || echo 1)" "$lal" search -c --format tsv --where "$2" 'S|NP|VP=x' a.jsonl
    [ "$(cut -f 1 out)" -eq "$1" ] || complain "$(cut -f 1 out) matches, expected $1"
}
holds 1 'x.p < 0.5'
holds 2 'x.p >= 0.9'
holds 1 'x.p = 0.4'
holds 2 'x.p != 0.4'
holds 1 'x.head = 37'
holds 0 'x.head = 2'
holds 1 'x.part > 1'
holds 0 'x.part < 0'
holds 1 'x.words = 3'
holds 2 'x.words <= 2'
holds 1 'x.lemma = dog'
holds 2 'x.lemma != dog'
holds 1 'x.lemma ~ "^do"'
holds 1 'x.feats ~ "Number=Plur"'
holds 1 'x.feats.Number = Plur'
holds 1 'x.feats.Case = "Nom"'
holds 0 'x.feats.Tense = Past'
holds 1 'x.upos = NOUN'
holds 1 'x.type = nsubj'
holds 2 'x.type = root'
holds 2 'x.begin = 0'
holds 2 'x.end = 3'
holds 1 "x.text = 'The dogs'"
holds 1 'x.text ~ /^The dogs$/'
holds 1 'x.label = NP'
holds 1 'x.tag = NP'
holds 2 'x.word = bark'
holds 3 'sentence.words = 3 and sentence.p_tree = 0.25 and sentence.f1 > 0.7 and sentence.id = 7 and sentence.line = 3'
holds 0 'sentence.document = a'
holds 2 'x.p < 0.5 or x.words = 3'
holds 1 'not (x.p < 0.5 or x.words = 3)'
holds 1 'not x.p < 0.5 and not x.words = 3'
holds 3 'match.p = x.p'
expect 'a word inside a phrase' 0 "$lal" search --only --where 'w in np' 'NP=np : NNS=w' a.jsonl
is <<END
1: The dogs${tab}np=The dogs${tab}w=dogs
END
expect 'a word outside' 1 "$lal" search --where 'w in np' 'NP=np : VBP=w' a.jsonl
expect 'conditions on words' 0 "$lal" search --only --where 'x.p < 0.85 and x.head = 5 and x.part = -0.5' '{}=x' a.jsonl
is <<END
1: dogs${tab}x=dogs
END
expect 'what is unknown' 1 "$lal" search --where 'x.p < 2' 'NP=x' a.trees
expect 'not what is unknown' 0 "$lal" search --where 'not x.p < 2' 'NP=x' a.trees
expect 'a table of what is known' 0 "$lal" search --count-by 'x.p,x.head,x.part,x.lemma,x.feats.Number' 'NP=x' a.jsonl
is <<END
1${tab}0.4000${tab}37${tab}1.5000${tab}dog${tab}Plur
END
expect 'a table of what is unknown' 0 "$lal" search --count-by 'x.p,x.words' 'NP=x < NN' a.trees
is <<END
5${tab}${tab}2
END
expect 'places in the text' 0 "$lal" search --format json 'NP=x' a.jsonl
prints '"id": 7, "text": "The dogs bark"'
prints '"text": "The dogs", "characters": [0, 8], "names": '

# ---- raw text, which is parsed on the way
expect 'raw text' 0 "$lal" search --only 'NP=n < DT' "$root/examples/news.txt"
prints "1: The committee${tab}n=The committee"
"$lal" parse "$root/examples/news.txt" >news.trees
"$lal" search -f patterns "$root/examples/news.txt" >direct
expect 'as its trees' 0 "$lal" search -f patterns news.trees
cmp -s direct out || complain 'other matches'
expect 'its graphs' 0 "$lal" search --format tsv '{}=v >/nsubj.*/ {}=s' "$root/examples/news.txt"
cp out direct
"$lal" parse -f conllu "$root/examples/news.txt" >news.conllu
expect 'as its rows' 0 "$lal" search --format tsv '{}=v >/nsubj.*/ {}=s' news.conllu
cmp -s direct out || complain 'other matches'
"$lal" parse -f json --confidence --why "$root/examples/news.txt" >news.json
expect 'conditions on raw text' 0 "$lal" search --count-by 'x.label,x.p,x.head,x.part' 'NP|VP=x' \
    "$root/examples/news.txt"
cp out direct
expect 'on what lal parse wrote' 0 "$lal" search --count-by 'x.label,x.p,x.head,x.part' 'NP|VP=x' news.json
[ "$(grep -cP '\tNP\t0\.\d{4}\t\d+\t-?\d' out)" -gt 10 ] || complain 'p, head and part are missing'
[ "$(cut -f 1-3 direct)" = "$(cut -f 1-3 out)" ] || complain 'other values'
expect 'places in raw text' 0 "$lal" search --format json 'PRP=p' "$root/examples/news.txt"
python3 - "$root/examples/news.txt" <<'END' || complain 'other places'
import json, sys
text = open(sys.argv[1], encoding="utf-8").read()
n = 0
for line in open("out", encoding="utf-8"):
    x = json.loads(line)
    for m in x["matches"]:
        begin, end = m["characters"]
        assert text[begin:end] == m["text"] == x["words"][m["begin"]], m
        n += 1
assert n >= 3
END
cp out direct
expect 'the same with what the parser says' 0 "$lal" search --format json --where 'p.p >= 0' 'PRP=p' \
    "$root/examples/news.txt"
cmp -s direct out || { complain 'other output'; diff direct out; }
expect 'tokens' 0 sh -c "echo 'It rains .' | \"$lal\" search -c --input tokens PRP"
prints '1 match in 1 of 1 sentences'
expect 'threads' 0 "$lal" search -j 3 -f patterns "$root/examples/declaration.txt"
cp out direct
expect 'one thread' 0 "$lal" search -j 1 -f patterns "$root/examples/declaration.txt"
cmp -s direct out || complain 'the output depends on the number of threads'

# ---- a large treebank: several blocks for each thread
cp a.trees large.trees
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13; do cat large.trees large.trees >t && mv t large.trees; done
n=$((4 << 13))
for options in '' '-c' '--format tsv' '--count-by match.word' '-C 1' '--sample 7' '-v'; do
    expect "four threads $options" 0 "$lal" search -j 4 $options 'NP < (NP $+ PP)' large.trees
    cp out four
    expect "one thread $options" 0 "$lal" search -j 1 $options 'NP < (NP $+ PP)' large.trees
    cmp -s out four || complain 'the output depends on the number of threads'
done
expect 'a large file' 0 "$lal" search -c 'FRAG' large.trees
prints "$((n / 4)) matches in $((n / 4)) of $n sentences"
expect 'the last line' 0 "$lal" search --format tsv 'FRAG' large.trees
[ "$(tail -n 1 out)" = "$n${tab}2" ] || complain 'its number'
sample() { expect "sample $*" 0 "$lal" search --sample 5 --format tsv NP large.trees "$@"; lines 5; }
sample --seed 1
cp out first
sample --seed 1 -j 1
cmp -s out first || complain 'the same seed should choose the same sentences'
sample --seed 2
cmp -s out first && complain 'another seed should choose others'
sort -n first | cmp -s - first || complain 'in the order of the file'
expect 'more than there are' 0 "$lal" search --sample 100 FRAG a.trees
lines 1
expect 'a pipe that closes' 0 sh -c "\"$lal\" search NP large.trees | head -n 1"
[ -s err ] && { complain 'standard error is not empty'; cat err; }
expect 'a pipe that closes, counted' 0 sh -c "cat large.trees | \"$lal\" search -m 1 NP"
lines 1

# ---- what is refused
refuses 'pattern:1:5: found the end of the pattern, expected a label' 'NP <' a.trees
refuses 'pattern:1:' 'NP < (NN' a.trees
refuses 'pattern:1:6: found the end of the pattern, expected a value' '{tag:' a.conllu
refuses 'pattern:1:' '/(/' a.trees
refuses "where:1:1: found 'y.p < 1', expected NAME.FIELD" --where 'y.p < 1' 'NP=x' a.trees
refuses 'where:1:3: ' --where 'x.q < 1' 'NP=x' a.trees
refuses "where:1:7: found 'many', expected a number" --where 'x.p < many' 'NP=x' a.trees
refuses 'fields:1:3: ' --count-by 'x.q' 'NP=x' a.trees
refuses 'found no pattern, expected one'
refuses 'none.trees: cannot open' NP none.trees
refuses '--only: expected --format text' --only --format tsv NP a.trees
refuses '--whole: expected --format brackets' --whole NP a.trees
refuses 'found two of --count, --count-by and --files' -c -l NP a.trees
refuses 'found --invert or --most' -c -v NP a.trees
refuses '--sample: found' --sample 3 -c NP a.trees
refuses '--patterns: expected --format text or tsv' -f patterns --format json a.trees
refuses '--patterns: found another pattern' -f patterns --tregex NP a.trees
refuses '--heads: found' --heads NoHeadFinder NP a.trees
refuses 'a.conllu: found dependencies, expected trees' NP a.conllu
expect 'dependencies beside trees' 0 "$lal" search 'PP > VP' a.conllu a.trees
lines 1
says 'a.conllu: note: found dependencies, expected trees'

# ---- files that are broken: what stands before is written, and the place is said
broken() { message=$1; shift; expect "broken: $*" 2 "$lal" search "$@"; says "$message"; }
{ cat a.trees; echo '(TOP (S (NP (NN dog))'; } >open.trees
broken 'open.trees:5:' FRAG open.trees
prints '4: no dog'
{ cat a.trees; echo '(TOP (NN dog)))'; } >closed.trees
broken 'closed.trees:5:' FRAG closed.trees
prints '4: no dog'
{ cat a.conllu; printf '1\tDogs\tdog\n\n'; } >rows.conllu
broken 'rows.conllu:16:' '{lemma:fish}' rows.conllu
prints "1: Dogs don't eat fish."
{ cat a.conllu; printf '1\tDogs\tdog\tNOUN\tNNS\t_\t9\tnsubj\t_\t_\n\n'; } >heads.conllu
broken 'heads.conllu:16:' '{lemma:fish}' heads.conllu
printf '(TOP (NN dog))\n(TOP (NN d\377g))\n' >bytes.trees
broken 'bytes.trees:2:11: found bytes that are not UTF-8' NN bytes.trees
expect 'bytes that are replaced' 0 "$lal" search --invalid replace NN bytes.trees
lines 2
printf '(TOP (NN dog))\n(TOP (NN d\000g))\n' >nul.trees
broken 'nul.trees:2:11: found a NUL byte' NN nul.trees
echo '{"tokens": [' >cut.jsonl
broken 'cut.jsonl:1:' NN cut.jsonl
python3 -c 'n = 100000; print("(TOP " + "(X " * n + "(NN dog)" + ")" * n + ")")' >deep.trees
expect 'a deep tree' 0 "$lal" search --format tsv 'NN' deep.trees
is <<END
1${tab}100002
END
expect 'what is above in a deep tree' 0 "$lal" search -c 'NN >> TOP' deep.trees
prints '1 match in 1 of 1 sentences'
python3 -c 'n = 3000; print("(TOP " + "(X " * n + "(NN dog)" + ")" * n + ")")' >deep.trees
expect 'all pairs of a deep tree' 0 "$lal" search -c 'X << X' deep.trees
prints '4498500 matches in 1 of 1 sentences'
: >nothing.trees
expect 'an empty file' 1 "$lal" search NP nothing.trees
silent
printf '\357\273\277' | cat - a.trees >mark.trees
expect 'a byte order mark' 0 "$lal" search -c FRAG mark.trees
prints '1 match in 1 of 4 sentences'

finish
