#!/bin/sh
# ud.sh BUILD-FOLDER: Universal Dependencies of the shipped model and of treebanks, checked as UD's validator does
# (check_conllu.py; docs/UD.md says how to run the validator itself).
. "$(dirname "$0")/harness.sh"
for python in python3 /usr/bin/python3; do "$python" -c 'import conllu' 2>/dev/null && break; done
"$python" -c '' 2>/dev/null || { echo 'skipped: there is no python3'; exit 0; }
valid() {
    "$python" "$root/tests/cli/check_conllu.py" "$1" >valid.out 2>&1 || { complain 'not valid'; cat valid.out; }
}

cat >text <<'END'
Mr. Smith doesn't know John's dog, but he cannot say "I'm gonna buy it" (really).
It is hard to say what they're looking at.

- The plan is to win on March 15, 2001.
- You've got mail! :-)  Write to <a@b.org>, see http://example.org/x_y?z=1
Section 6, e.g. as well as 20% of "it", costs $5 million...
END
printf 'don\342\200\231t\tpanic ,\302\240she said .\n( [ { ) \n. . .\n' >odd

# ---- lal parse
expect 'CoNLL-U' 0 sh -c "\"$lal\" parse --format conllu text odd - <text"
cp out ud.conllu
valid ud.conllu
[ "$(head -n 2 out)" = "$(printf '# deps = UD v2\n# newdoc id = text')" ] ||
    complain 'the scheme or the file is not named'
[ "$(grep -c '^# newdoc' out) $(grep -cx '# newdoc' out)" = '3 1' ] || complain 'each file should be a document'
prints "3-4	doesn't	_	_	_	_	_	_	_	_"
prints "3	does	do	AUX	VBZ	Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin	5	aux	5:aux	_"
prints "6-7	John's	"
grep -q '^[0-9]*-[0-9]*	cannot	' out || complain 'cannot should be a multiword token'
grep -q '^[0-9]*-[0-9]*	gonna	' out || complain 'gonna should be a multiword token'
grep -q '^[0-9]*-[0-9]*	don’t	' out || complain 'don’t should be a multiword token'
grep -qE '	(pobj|dobj|prep|nn)	' out && complain 'Stanford dependencies'
expect 'Stanford dependencies' 0 "$lal" parse --format conllu --deps stanford text
[ "$(head -n 1 out)" = '# deps = Stanford basic 3.3.0' ] || complain 'the scheme is not named'
grep -q '	pobj	' out || complain 'no pobj'
for format in conllx json pretty; do
    expect "$format" 0 "$lal" parse --format $format --draw both text
    grep -q '\bobl\b' out || complain 'no obl'
    grep -q '\bpobj\b' out && complain 'pobj of Stanford'
    expect "$format of Stanford" 0 "$lal" parse --format $format --draw both --deps stanford text
    grep -q '\bpobj\b' out || complain 'no pobj'
    cp out stanford
    [ $format = conllx ] || continue
    expect 'arcs that are given are those of the model' 0 \
        "$lal" parse --format conllx --input conll --arcs given stanford
    cmp -s out stanford || complain 'other arcs'
done
expect 'contributions' 0 "$lal" parse --format json --why text
prints '"deps": "Stanford basic 3.3.0"'
echo 'What do you have to hit?' >crossing
expect 'an arc that crosses' 0 "$lal" parse --format conllu crossing
valid out
prints "1	What	what	PRON	WP	PronType=Int	6	obj	6:obj	_"
expect 'the projective arc' 0 "$lal" parse --format conllu --deps stanford crossing
prints "1	What	what	_	WP	_	4	dobj	_	_"
printf "I do n't know .\n\nNo !\n" >tokens
expect 'tokens' 0 "$lal" parse --format conllu --pretokenized tokens
prints "# text = I do n't know ."

# ---- lal convert
printf '1\tShe\t_\tPRP\tPRP\t_\t2\tnsubj\t_\t_\n2\tsat\t_\tVBD\tVBD\t_\t0\troot\t_\t_\n' >sd.conllx
printf '3\ton\t_\tIN\tIN\t_\t2\tprep\t_\t_\n4\tmats\t_\tNNS\tNNS\t_\t3\tpobj\t_\t_\n\n' >>sd.conllx
printf '(TOP (S (NP (PRP She)) (VP (VBD sat) (PP (IN on) (NP (NNS mats))))))\n' >sd.trees
expect 'arcs' 0 "$lal" convert --to conllu --to-deps ud sd.conllx
valid out
prints "4	mats	mat	NOUN	NNS	Number=Plur	2	obl	2:obl:on	_"
cp out arcs
expect 'trees and arcs' 0 "$lal" convert --to conllu --to-deps ud --deps sd.conllx sd.trees
cmp -s out arcs || complain 'the tree changes the arcs'
expect 'trees and head rules' 0 "$lal" convert --to conllu --to-deps ud --deps english.rules sd.trees
prints "	obl	"
expect 'CoNLL-X of UD' 0 "$lal" convert --to conllx --to-deps ud sd.conllx
prints "4	mats	_	NNS	NNS	_	2	obl	_	_"
{ printf '# sent_id = a-1\n# text = She sat on mats\n'; cat sd.conllx; } >named.conllu
expect 'comments' 0 "$lal" convert --to conllu --to-deps ud named.conllu
valid out
prints '# sent_id = a-1'
expect 'UD as input' 1 "$lal" convert --to conllu --to-deps ud arcs
says 'found another scheme, expected Stanford basic 3.3.0 for --to-deps ud'
expect 'trees as input' 1 "$lal" convert --to conllu --to-deps ud sd.trees
says 'found no dependencies, expected Stanford basic 3.3.0 for --to-deps ud'
expect 'brackets as output' 2 "$lal" convert --to brackets --to-deps ud sd.conllx
says '--to-deps: expected --to conllu or conllx'

# ---- enhanced graphs
echo 'Tom and Ann wanted to see the man who had sung.' >shared
expect 'a graph' 0 "$lal" parse --format conllu shared
valid out
cp out graph
prints "1	Tom	Tom	PROPN	NNP	Number=Sing	4	nsubj	4:nsubj|6:nsubj:xsubj	_"
prints "	1	conj	1:conj:and|4:nsubj|6:nsubj:xsubj	_"
prints "	6	obj	6:obj|11:nsubj	_"
prints "	11	nsubj	8:ref	_"
expect 'no graph' 0 "$lal" parse --format conllu --deps stanford shared
grep -q ':xsubj' out && complain 'a graph of Stanford dependencies'
expect 'a graph in JSON' 0 "$lal" parse --format json --fields form,enhanced shared
prints '{"form": "Tom", "enhanced": [{"head": 3, "type": "nsubj"}, {"head": 5, "type": "nsubj:xsubj"}]}'
expect 'nothing else in JSON' 0 "$lal" parse --format json --fields form,upos shared
grep -q 'enhanced\|lemma' out && complain 'more than was asked for'
sed 's/^\([0-9]*	.*	\)[^	]*	\([^	]*\)$/\1_	\2/' graph >trees
expect 'a graph of UD' 0 "$lal" convert --to conllu --to-deps enhanced trees
cmp -s out graph || complain 'another graph'
sed 's/^12	/11.1	sung	_	_	_	_	_	_	11:conj	_\n12	/' graph >empty
expect 'an empty node' 0 "$lal" convert --to conllu --to-deps enhanced empty
cmp -s out graph || complain 'the empty node should go'
expect 'a parse over a graph' 0 "$lal" parse --input conll --format conllu empty
grep -q '^11.1' out && complain 'the empty node should go'
prints "	11	nsubj	8:ref	_"
expect 'its score' 0 "$lal" eval --align --gold-deps graph --pred-deps graph
prints 'ELAS '
grep -q 'ELAS .* 100.00' out || complain 'a graph is not like itself'
expect 'no score' 0 "$lal" eval --align --gold-deps trees --pred-deps graph
prints 'no enhanced graphs in trees'
expect 'Stanford as input' 1 "$lal" convert --to conllu --to-deps enhanced sd.conllx
says "found the relation 'prep', expected UD v2 for --to-deps enhanced"
expect 'trees as input' 1 "$lal" convert --to conllu --to-deps enhanced sd.trees
says 'found no dependencies, expected UD v2 for --to-deps enhanced'
expect 'CoNLL-X as output' 2 "$lal" convert --to conllx --to-deps enhanced trees
says '--to-deps enhanced: expected --to conllu'

# ---- the check itself finds faults
name='faults'
fault() {
    checks=$((checks + 1))
    sed "$1" ud.conllu >bad.conllu
    cmp -s ud.conllu bad.conllu && complain "nothing changed: $1"
    "$python" "$root/tests/cli/check_conllu.py" bad.conllu >/dev/null 2>&1 && complain "not found: $1"
}
fault 's/	AUX	/	VERBS	/'
fault 's/	root	/	top	/'
fault 's/	punct	/	case	/'
fault '/^9	,/s/	14	punct	/	21	punct	/'
fault '/^1	/s/	nmod:desc	/	root	/'
fault 's/# text = M/# text = N/'
fault 's/SpaceAfter=No/_/'
fault 's/# sent_id = 2/# sent_id = 1/'
fault 's/Number=Sing|Person=3/Person=3|Number=Sing/'
fault 's/^3-4/3-3/'
fault 's/	5:aux	/	3:aux	/'
fault 's/	0:root	/	0:dep	/'

# ---- recipes/ud_scores.sh: the output is its own gold; a folder with releases of UD gives features and multiword rows
export LAL="$lal"
scores() {
    name=$1 want=$2; shift 2
    expect "$name" "$want" sh "$root/recipes/ud_scores.sh" "$root/models/en-small.lal" "$@"
}
all='100.00 | 100.00 | 100.00 | 100.00'
for set in ewt gum-open; do
    mkdir -p data/$set/raw/test data/$set/raw/test-flat
    cp text data/$set/raw/test/one.txt
    echo "I don't know." >data/$set/raw/test/two.txt
    cp data/$set/raw/test/*.txt data/$set/raw/test-flat
    printf 'split\tdocument\ntrain\tzero\ntest\tone\ntest\ttwo\n' >data/$set/docs.tsv
    "$lal" parse --format conllu data/$set/raw/test/one.txt data/$set/raw/test/two.txt >ours
    awk -F '\t' -v OFS='\t' 'NF == 10 { $6 = "_" } $1 !~ /-/' ours >data/$set/test.conllu
done
scores 'scores without features' 0 data
lines 6
prints '| EWT test, --treebank ewt |'
prints "| EWT test | $all | 100.00 | - | - | $all | - | 100.00 |"
mkdir releases
for name in en_ewt en_gum; do # with a document more
    {
        echo '# newdoc id = zero'; sed '/^#/d; /^$/q' ours
        sed 's|^# newdoc id = .*/\(.*\).txt|# newdoc id = \1|' ours
    } >releases/$name-ud-test.conllu
done
scores 'scores with features' 0 data releases
lines 6
hundred=$(for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13; do printf ' 100.00 |'; done)
prints "| GUM-open test, no paragraphs |$hundred"
sed -i 's/^# newdoc id = two/# newdoc id = three/' releases/en_gum-ud-test.conllu
scores 'a release without a document' 1 data releases
says 'found 1 of 2 documents'
sed -i 's/^# newdoc id = three/# newdoc id = two/; s/know/say/' releases/en_gum-ud-test.conllu
scores 'a release of another text' 1 data releases

finish
