#!/bin/sh
# treebanks.sh BUILD-FOLDER: `lal convert`, `check`, `stats` and `draw`, and head rules.
. "$(dirname "$0")/harness.sh"
make_toy

# ---- convert
expect 'a treebank to itself' 0 "$lal" convert dev.trees
cmp -s out dev.trees || complain 'the trees changed'
expect 'CoNLL to itself' 0 "$lal" convert --to conllx dev.conllx
cmp -s out dev.conllx || complain 'the dependencies changed'
expect 'trees with heads to CoNLL' 0 "$lal" convert --to conllx --deps dev.conllx dev.trees
cmp -s out dev.conllx || complain 'the dependencies are not those given'
printf '<S ID=1>\n( (S (NP-SBJ-1 (NN {a})\n    (-NONE- *T*-1)) (VP (VP (V b)))) )\n</S>\n' > raw
printf '(X (Y (-NONE- *)) (Z c))\n' >> raw
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
expect 'trees for LaTeX' 0 "$lal" convert --to forest raw
prints '  [S'
expect 'dependencies for LaTeX' 0 "$lal" convert --to tikz-dependency --deps english.rules raw
prints '  \depedge{2}{1}{'
expect 'and none' 1 "$lal" convert --to tikz-dependency raw
says 'raw:2: found no dependencies, expected some for --to tikz-dependency'
expect 'and no trees' 1 "$lal" convert --to forest dev.conllx
says 'found dependencies without trees, expected trees for --to forest'
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
# What is written is read: words with blanks, brackets and escapes, tags with brackets, no heads, no words.
row='\t_\t_\t%s\t_\t%d\tx\t_\t_\n'
# shellcheck disable=SC2059
printf "1\t10 000${row}2\t-LRB-a${row}3\t\\\\/${row}\n" CD 0 '$(' 1 '(' 1 >strange.conll
for format in brackets pretty conllx conllu json; do
    "$lal" parse --model toy.lal --input conll --tags given --format $format strange.conll >again.$format ||
        complain "parsing to $format"
    input=$format
    case $format in pretty) input=brackets ;; conll?) input=conll ;; esac
    expect "$format is read back" 0 "$lal" parse --model toy.lal --quiet --input $input --tags given --format json \
        again.$format
    prints '"form": "10 000"'
    prints '"form": "(a"'
    prints '"form": "\\/"'
    prints '"tag": "$("'
done
printf 'a -LRB- 1\\/2 (\n' >penn
for escape in input round; do
    expect "escaped tokens, --escape $escape" 0 "$lal" parse --model toy.lal --pretokenized --escape $escape penn
    cp out penn.$escape
done
grep -q ' -LRB-).* 1\\/2).* -LRB-)' penn.input || complain 'tokens should stay as they are'
grep -q ' -U+002D-LRB-).* 1-U+005C-/2).* -LRB-)' penn.round || complain 'tokens should have escapes'
expect 'words with blanks as tokens' 1 "$lal" convert --to tokens strange.conll
says "strange.conll:1: found '10 000' as word 1, expected words without blanks for --to tokens"
printf '# text = -LRB- see -RRB-\n' >comment
printf '1\t-LRB-\t-LRB-\t-LRB-\t-LRB-\t_\t2\tpunct\t_\t_\n2\tsee\tsee\tVB\tVB\t_\t0\troot\t_\t_\n' >escaped.conllx
printf '3\t-RRB-\t-RRB-\t-RRB-\t-RRB-\t_\t2\tpunct\t_\t_\n\n' >>escaped.conllx
expect 'CoNLL-X as CoNLL-U' 0 "$lal" convert --to conllu escaped.conllx
prints "$(printf '1\t(\t(\t-LRB-\t-LRB-\t')"
cp out plain.conllu
expect 'and back' 0 "$lal" convert --to conllx plain.conllu
prints "$(printf '3\t-RRB-\t_\t-RRB-\t-RRB-\t')"
expect 'with Universal Dependencies' 0 "$lal" convert --to conllu --to-deps ud escaped.conllx
prints '# text = ( see )'
prints "$(printf '1\t(\t(\tPUNCT\t-LRB-\t')"
cat comment escaped.conllx >commented.conllx
expect 'and a text of its own' 0 "$lal" convert --to conllu --to-deps ud commented.conllx
prints '# text = ( see )'
expect 'CoNLL-U as it is' 0 "$lal" convert --to conllu commented.conllx
cmp -s out commented.conllx || complain 'rows that fit their text stay'
printf '1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n2.1\tE\t_\t_\t_\t_\t_\t_\t_\t_\n\n' >empty.conllu
for command in 'convert --to conllu' 'convert stats' 'parse --model toy.lal --input conll'; do
    expect "an empty node out of order: $command" 1 "$lal" $command empty.conllu
    says "empty.conllu:2:1: found '2.1', expected 1.1 for an empty node here"
done
expect 'trees without heads' 0 "$lal" convert --to conllu dev.trees
cp out bare.conllu
expect 'CoNLL without heads' 0 "$lal" convert --to tokens bare.conllu
cp out bare.tokens
expect 'their words' 0 "$lal" convert --to tokens dev.trees
cmp -s out bare.tokens || complain 'the words differ'
expect 'CoNLL without heads in other columns' 0 "$lal" parse --model toy.lal --quiet --input conll bare.conllu
printf 'a b\n\nc\n' | "$lal" parse --model toy.lal --pretokenized --format json >empty.json
expect 'a sentence without words' 0 "$lal" convert empty.json
[ "$(sed -n 2p out)" = '' ] || complain 'it should be an empty line'
lines 3
sed 's/"label": "[A-Z]*"/"label": "N P"/' again.json >blank.json
expect 'a label with a blank' 1 "$lal" convert blank.json
says "blank.json:1:1: found 'N P' as the label of a constituent, expected one without blanks, round brackets"
expect 'dependencies to trees' 1 "$lal" convert dev.conllx
says 'dev.conllx: found dependencies without trees'
{ printf '\357\273\277'; cat dev.trees; } > marked.trees; { printf '\357\273\277'; cat dev.conllx; } > marked.conllx
expect 'byte order marks' 0 "$lal" convert --to conllx --deps marked.conllx marked.trees
cmp -s out dev.conllx || complain 'the dependencies are not those given'
expect 'byte order marks in scoring' 0 "$lal" eval --gold dev.trees --pred marked.trees
prints 'F1 100.00'
expect 'trees with too few dependencies' 1 sh -c \
    "awk 'BEGIN { RS = \"\"; ORS = \"\n\n\" } NR <= 2' dev.conllx | \"$lal\" convert --to conllx --deps - dev.trees"
says '-: found 2 sentences, expected 20 as in dev.trees'
expect 'dependencies with too few trees' 1 sh -c \
    "head -n 3 dev.trees > few; \"$lal\" convert --to conllx --deps dev.conllx few"
says 'dev.conllx: found 20 sentences, expected 3 as in few'

# ---- notations that scripts convert
cat >genia.xml <<'END'
<?xml version="1.0"?>
<A><PMID>1</PMID>
<sentence id="S1"><cons cat="S"><cons cat="NP" role="SBJ"><tok cat="PRPP">its</tok> <tok cat="NN">a &lt; b</tok></cons>
<cons cat="VP"><tok cat="VBD">was</tok> <cons cat="NP" ref="i5" null="NONE"></cons><cons cat="X"></cons></cons>
<tok cat="LRB">(</tok><tok cat="NN">-U+\(-LRB-</tok><tok cat="PERIOD">/.</tok><tok cat="PERIOD">.</tok></cons>
</sentence></A>
END
expect "GENIA's XML" 0 python3 "$root/recipes/genia.py" genia.xml
prints '(TOP (S (NP-SBJ (PRP$ its) (NN a<b)) (VP (VBD was) (NP-NONE (-NONE- *))) (-LRB- -LRB-) (NN '
python3 "$root/recipes/genia.py" <genia.xml >genia.trees || complain 'from standard input'
expect 'with functions and traces' 0 "$lal" convert --functions keep --traces keep genia.trees
prints '(VP (VBD was) (NP-NONE (-NONE- *)))'
expect 'its words' 0 "$lal" convert --to tokens genia.trees
prints 'its a<b was ( -U+\(-LRB- /. .'
while IFS='|' read -r xml message; do
    printf '<?xml version="1.0"?>%b' "$xml" >bad.xml
    expect "$xml" 1 python3 "$root/recipes/genia.py" bad.xml
    says "bad.xml:$message"
done <<'END'
\n<a><b></a>|2:9: found invalid XML: mismatched tag
<sentence><cons><tok cat="A">a</tok></cons></sentence>|1:32: found a phrase without a label
<sentence><tok>a</tok></sentence>|1:38: found a word without a tag
<sentence><tok cat="A"> </tok></sentence>|1:46: found a tag without a word
<sentence><cons cat="N&#9;P"><tok cat="A">a</tok></cons></sentence>|1:32: found 'N<U+0009>P' as label of a phrase
<sentence><tok cat="A B">a</tok></sentence>|1:48: found 'A B' as tag, expected one without blanks
<sentence>word</sentence>|1:32: found text outside <tok>
<sentence><cons cat="A"/></sentence>|1:47: found a tree without words, expected at least one
<sentence><sentence/></sentence>|1:32: found a sentence inside a sentence
<sentence><tok cat="A"><b/></tok></sentence>|1:45: found an element inside <tok>, expected its word
END
expect 'no XML' 1 python3 "$root/recipes/genia.py" none.xml
says 'none.xml: cannot open: No such file'
expect 'XML as it is' 1 "$lal" convert genia.xml
says 'genia.xml:1:1: found XML or a tree of the Sinica Treebank, expected brackets, CoNLL or JSON, which recipes/genia'

cat >clauses <<'END'
#1:1.[7] S(agent:NP(Head:Nhaa:他)|Head:VC2[+ASP]:看|goal:NP(property:N‧的(head:Nab:我|Head:DE:的)|Head:Nab:書))#。(P)

VP(Head:V:a|Head:V:b:c)
NP(x:N:a|y:N:-LRB-)
END
python3 "$root/recipes/sinica.py" clauses >clauses.json || complain 'Sinica notation'
expect 'Sinica trees' 0 "$lal" convert clauses.json
prints '(TOP (S (NP (Nhaa 他)) (VC2 看) (NP (N‧的 (Nab 我) (DE 的)) (Nab 書)) (P 。)))'
prints '(TOP (VP (V a) (V b:c)))'
prints '(TOP (NP (N a) (N -U+002D-LRB-)))'
expect 'and their heads by roles' 0 "$lal" convert --to conllx clauses.json
# several children with the role Head, or none: the last one in N phrases, else the first
for row in '1	他	_	Nhaa	Nhaa	_	2	agent' '2	看	_	VC2	VC2	_	0	root' '3	我	_	Nab	Nab	_	4	head' \
    '4	的	_	DE	DE	_	5	property' '5	書	_	Nab	Nab	_	2	goal' \
    '6	。	_	P	P	_	2	punct' '1	a	_	V	V	_	0	root' '2	b:c	_	V	V	_	1	cohead' \
    '1	a	_	N	N	_	2	x' '2	-U+002D-LRB-	_	N	N	_	0	root'; do
    prints "$row	_	_"
done
while IFS='!' read -r line message; do
    printf '%b' "$line" >bad
    expect "$line" 1 python3 "$root/recipes/sinica.py" bad
    says "bad:$message"
done <<'END'
NP(Head:N:a!1:12: found the end of the line, expected ')'
NP(Head:N:a)\nNP(Head:a)!2:4: found an incomplete item, expected ROLE:CATEGORY(...) or ROLE:CATEGORY:WORD
NP(Head:N:a)b!1:13: found text after the tree, expected '#'
NP(Head:N:a)#b!1:13: found other text after the tree, expected #MARK(CATEGORY)
Head:N:a!1:9: found a word, expected a phrase
NP(x:NP(Head:N:a)b)!1:18: found other text after ')', expected '|' or ')'
NP(Head:N:)!1:4: found a tag without a word
NP(Head:[+X]:a)!1:4: found a word without a tag
NP()!1:4: found an incomplete item, expected ROLE:CATEGORY(...) or ROLE:CATEGORY:WORD
NP(x y:N:a|z:N:b)!1:18: found a role with blanks, expected one without
N P(Head:N:b)!1:1: found 'N P' as label of a phrase, expected one without blanks, brackets and empty parts
NP(Head:N N:b)!1:4: found 'N N' as tag, expected one without blanks
NP(Head:N: )!1:4: found a word of blanks, or with a tab or a line break
NP(x:N:a(b))!1:10: found '(' after a word, expected '|' or ')'
NP(Head:N:\0377)!1:11: found bytes that are not UTF-8
END
expect 'a tree as it is' 1 "$lal" convert --to conllx clauses
says 'clauses:1:1: found XML or a tree of the Sinica Treebank, expected brackets, CoNLL or JSON'

# ---- head rules
expect 'scoring heads of rules' 0 "$lal" eval --gold dev.trees --gold-deps english.rules --pred dev.trees \
    --pred-deps english.rules
prints 'UAS 100.00  LAS 100.00'
expect 'head rules without trees' 2 "$lal" eval --gold-deps english.rules --pred-deps english.rules
says 'english.rules: found head rules without trees, expected a bracket file too'
expect 'missing head rules' 1 "$lal" convert --to conllx --deps klingon.rules dev.trees
says 'klingon.rules: cannot open: No such file or directory'
echo '(TOP (S (NP (NNS Trees)) (VP (VBP grow)) (. .)))' > grow
expect 'dependencies from trees' 0 "$lal" convert --to conllx --deps english.rules grow grow
lines 8
prints '1	Trees	_	NNS	NNS	_	2	nsubj	_	_'

# ---- check
expect 'files that fit' 0 "$lal" convert check dev.trees --deps dev.conllx
prints '20 sentences: 0 with different words, 0 phrases without exactly one head, 0 with crossing arcs, 0 flat groups'
for rules in english.rules "$root/models/headrules/english.rules"; do
    expect "arcs of $rules" 0 "$lal" convert check dev.trees --deps "$rules"
    prints '20 sentences: 0 with different words, 0 phrases without exactly one head, 0 with crossing arcs'
done
expect 'no such rules' 1 "$lal" convert check dev.trees --deps none.rules
says 'none.rules: cannot open'
expect 'no rules' 1 "$lal" convert check dev.trees --deps dev.trees
says 'dev.trees:1:1: found 1 tab-separated columns'
printf '(TOP (S (NP (NN a))\n' >broken.trees
expect 'no trees, and rules' 1 "$lal" convert check broken.trees --deps english.rules
says 'broken.trees:1:6: found '
printf '(TOP (S (NP (A a) (B b)) (C c)))\n(TOP (S (A a) (B b) (C c) (D d)))\n(TOP (S (A a) (B b)))\n(TOP (A a))\n' > ct
{ printf '1\ta\t_\tA\tA\t_\t3\tx\t_\t_\n2\tb\t_\tB\tB\t_\t3\tx\t_\t_\n3\tc\t_\tC\tC\t_\t0\troot\t_\t_\n\n'
  printf '1\ta\t_\tA\tA\t_\t3\tx\t_\t_\n2\tb\t_\tB\tB\t_\t4\tx\t_\t_\n'
  printf '3\tc\t_\tC\tC\t_\t4\tx\t_\t_\n4\td\t_\tD\tD\t_\t0\troot\t_\t_\n\n'
  printf '1\ta\t_\tA\tA\t_\t0\troot\t_\t_\n2\tx\t_\tB\tB\t_\t1\tx\t_\t_\n'; } > 'cd'
expect 'every disagreement' 1 "$lal" convert check ct --deps cd
prints "ct:1: 2 words of the phrase NP 'a b' (words 1 to 2) have a head outside it, expected 1"
prints 'cd:5: arcs cross'
prints 'ct:2: 1 groups of dependents are not contiguous'
prints "cd:11: word 2 is 'x', at ct:3 it is 'b' (2 words and 2)"
prints 'cd: 3 sentences, ct has 4'
says 'found 5 disagreements'

# ---- stats
expect 'statistics' 0 "$lal" convert stats train.trees --deps train.conllx dev.trees --deps dev.conllx \
    --name one --name two
lines 5
prints '| one | 80 |'
prints '| all | 100 |'
expect 'statistics as JSON' 0 "$lal" convert stats dev.conllx --format json
prints '"sentences": 20, '
prints '"one_head_spans": null'
expect 'statistics of nothing' 1 "$lal" convert stats /dev/null

# ---- draw
expect 'a tree' 0 "$lal" convert draw --sentence 2 dev.trees
prints '<svg xmlns="http://www.w3.org/2000/svg"'
prints '<title>Tree:'
expect 'arcs' 0 "$lal" convert draw dev.conllx
prints '<title>Dependencies:'
expect 'trees with arcs of head rules' 0 "$lal" convert draw --sentence 2-3,5 --deps english.rules dev.trees
prints '<title>3 sentences</title>'
prints '<title>Tree and dependencies:'
prints '@media (prefers-color-scheme:dark)'
expect 'all sentences' 0 "$lal" convert draw dev.conllx
prints '<title>20 sentences</title>'
"$lal" convert --to brackets train.trees | sed p > many.trees # 160 sentences
expect 'many sentences' 0 sh -c "\"$lal\" convert draw many.trees 2>&1 >/dev/null"
prints 'the first 50 of 160 sentences are drawn; --sentence chooses others'
expect 'a narrow picture' 0 "$lal" convert draw --sentence 1 --width 200 dev.trees
grep -Eq '<svg [^>]* width="(200|1[0-9][0-9]|[0-9][0-9])"' out || complain 'the picture is not narrow'
expect 'a parse in a pipe' 0 sh -c "\"$lal\" parse text | \"$lal\" convert draw --sentence 1"
prints '<title>Tree:'
expect 'a parse as JSON in a pipe' 0 sh -c "\"$lal\" parse --format json text | \"$lal\" convert draw --sentence 1"
prints '<title>Tree and dependencies:'
expect 'JSON to trees' 0 sh -c "\"$lal\" parse --format json text | \"$lal\" convert"
"$lal" parse text | cmp -s - out || complain 'the trees of JSON are not those of brackets'
expect 'JSON to CoNLL' 0 sh -c "\"$lal\" parse --format json text | \"$lal\" convert --to conllx"
"$lal" parse --format conllx text | cmp -s - out || complain 'the arcs of JSON are not those of CoNLL'
expect 'CoNLL-U in a pipe' 0 sh -c "\"$lal\" parse --format conllu text | \"$lal\" convert draw --sentence 1"
prints '<title>Dependencies:'
expect 'no range' 2 "$lal" convert draw --sentence 3-2 dev.trees
says "--sentence: found '3-2', expected numbers from 1 such as 3 or 2-5,8"
expect 'a sentence that is not there' 1 "$lal" convert draw --sentence 21 dev.trees
says 'dev.trees: found 20 sentences, expected at least 21'
expect 'arcs of a tree' 1 "$lal" convert draw --what arcs dev.trees
says 'dev.trees:1: found a tree without dependencies, expected dependencies'

finish
