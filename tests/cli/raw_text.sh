#!/bin/sh
# raw_text.sh BUILD-FOLDER: recipes/raw_text.py: sources in their notations, what is removed, the manifest.
. "$(dirname "$0")/harness.sh"

# Sentences of each notation; archives are made with Python.
mkdir -p src/wiki-split src/Taskmaster/TM-3 src/dstc8-schema-guided-dialogue/train src/nltk_data/packages/corpora
zip() { # NAME MEMBER FILE
    python3 -c 'import sys, zipfile
with zipfile.ZipFile("src/nltk_data/packages/corpora/%s.zip" % sys.argv[1], "a") as z:
    z.write(sys.argv[3], sys.argv[2])' "$@"
}
printf '%s\n' 'she did n'"'"'t like it ( at all ) , he said .' 'they called it " a great film " twice !' >t
zip movie_reviews movie_reviews/neg/a.txt t
printf '        <Pros>Good &amp;quot;zoom&amp;quot;, light</Pros>\n        <Pros>Small</Pros>\n' >t
zip pros_cons pros_cons/IntegratedPros.txt t
echo 'Terms.' >t
zip pros_cons pros_cons/README.txt t
printf '[t]a title\nzoom[+2]##The zoom is good , and \n##I like\340 it .\n' >t
zip product_reviews_1 product_reviews_1/Canon.txt t
{
    echo 'A_DT well_RB -_: known_VBN man_NN ._. '
    echo '``_`` It_PRP rains_VBZ -LRB-_( hard_RB -RRB-_) '"''_''"' ,_, he_PRP said_VBD ._.'
} >t
zip masc_tagged masc_tagged/written/a.txt t
echo 'The_DT bank_NN grew_VBD ._.' >t
zip masc_tagged masc_tagged/written/wsj_0001.txt t
printf 'It is America\241\246s history. We know it well,   fellow citizens.\r\n' >t
zip state_union state_union/a.txt t
{
    printf 'One - time hero won , it says .\tNot this . <::::> Nor that .\n'
    printf 'Long one .\tA first part . <::::> A second part .\n'
} >src/wiki-split/tune.tsv
printf '<PR>x<C><U>Two tickets, please.<A>For which film?<PN>y\t[A]It starts at 7 pm.\tdlg-1\n' \
    >src/Taskmaster/TM-3/a.tsv
echo '[{"turns": [{"utterance": "I want a table at Nopa for 2."}, {"utterance": "I want a table at Morimoto for 12."},
    {"utterance": "Which city are you in?"}]}]' >src/dstc8-schema-guided-dialogue/train/dialogues_001.json
echo '[{"context": "[{\"role\": \"user\", \"text\": \"A latte, please.\"}]", "generation": "x"}]' \
    >src/Taskmaster/TM-3/b.json

mkdir -p data/ewt/raw/train data/childes data/craft data/pud
printf 'The old parser reads every single tree of heads. It stays.\n\nIt stays.\nThis line stays too.\n' \
    >data/ewt/raw/train/a.txt
{
    printf '1\tDo\tdo\tAUX\tVB\t_\t0\troot\t_\tSpaceAfter=No\n2\tn'"'"'t\tnot\tPART\tRB\t_\t1\tneg\t_\t_\n'
    printf '3\t-LRB-go-RRB-\tgo\tVERB\tVB\t_\t1\tx\t_\tSpaceAfter=No\n4\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_\n'
} >data/childes/train.conllu
mkdir -p data/raw-news data/atis
printf 'Prices rose.\nThe U.S. said so.\n\nPrices fell.\n' >data/raw-news/wikinews-economy.txt
printf 'Rates stayed.\n' >data/raw-news/fomc-minutes.txt
printf 'Rates rose.\n\nRates stayed.\nThe old parser reads every single tree of heads, they said.\n' \
    >data/raw-news/fomc-statements.txt
n=0
for word in i "'d" like flights; do
    n=$((n + 1))
    printf '%d\t%s\t_\tX\t_\t_\t%d\tdep\t_\t_\n' $n "$word" $((n - 1))
done >data/atis/train.conllu
n=0
for word in A PGC/NN -/HYPH dependent/JJ effect/NN; do
    n=$((n + 1))
    printf '%d\t%s\t_\t%s\t%s\t_\t%d\tdep\t_\t_\n' $n "${word%/*}" "${word#*/}" "${word#*/}" $((n - 1))
done >data/craft/train.conllx
n=0
for word in the OLD parser reads every single tree of heads; do
    n=$((n + 1))
    printf '%d\t%s\t_\tNN\tNN\t_\t%d\tdep\t_\t_\n' $n $word $((n - 1))
done >data/pud/test.conllx

expect 'all sources' 0 python3 "$root/recipes/raw_text.py" src data out.d
says 'genia/train.conllx: not there, left out'
no_leftovers
has() { # SOURCE LINE...
    source=$1; shift
    printf '%s\n' "$@" | cmp -s - "out.d/$source.txt" && return
    complain "$source has other lines"
    cat "out.d/$source.txt"
}
has movie_reviews "she didn't like it (at all), he said." 'they called it "a great film" twice!'
has pros_cons 'Good "zoom", light' 'Small'
has product_reviews_1 'The zoom is good, and' 'I likeà it.'
has masc 'A well-known man.' '"It rains (hard)", he said.'
has state_union "It is America’s history. We know it well, fellow citizens."
has wiki-split 'One-time hero won, it says.' 'A first part.' 'A second part.'
has taskmaster 'Two tickets, please.' 'For which film?' 'It starts at 7 pm.' 'A latte, please.'
has dstc8 'I want a table at Nopa for 2.' 'Which city are you in?'
has ewt 'It stays.' 'This line stays too.'
has childes "Don't (go)!"
has craft 'A PGC-dependent effect'
has wikinews-economy 'Prices rose.' 'The U.S. said so.' 'Prices fell.'
has fomc 'Rates stayed.' 'Rates rose.'
has atis "i'd like flights"
row() { grep -qx "$(printf '%s\t' "$@").*" out.d/MANIFEST.tsv || { complain "no row $*"; cat out.d/MANIFEST.tsv; }; }
row ewt 6 2 6 1 1
row dstc8 13 2 13 1 0
row masc 8 2 8 0 0
row fomc 4 2 4 1 1
grep -q 'CC BY 2.5: Wikinews contributors' out.d/MANIFEST.tsv || complain 'the manifest lacks terms'
[ "$(wc -l <out.d/MANIFEST.tsv)" -eq 16 ] || complain 'the manifest needs a row for each source, a header and a sum'
cp -r out.d first.d
expect 'again' 0 python3 "$root/recipes/raw_text.py" src data out.d
diff -r first.d out.d >/dev/null || complain 'the text is another one'

expect 'a share' 0 python3 "$root/recipes/raw_text.py" src data out.d --share taskmaster=6 \
    --held-out data/craft/train.conllx
row taskmaster 8 2 14
row craft 3 1 3 0 0
expect 'half of each source' 0 python3 "$root/recipes/raw_text.py" src data out.d --part 0.5
row taskmaster 8 2 14
row dstc8 8 1 13
printf '(TOP (S (DT that) (NN sentence) (-LRB- -LRB-) (VBZ is) (VBN held) (IN out) (RB now) (-RRB- -RRB-)))\n' \
    >held.trees
printf 'But that sentence is held out. Now it goes on. And on.\n' >>data/ewt/raw/train/b.txt
expect 'a sentence in others' 0 python3 "$root/recipes/raw_text.py" src data out.d --held-out held.trees
has ewt 'It stays.' 'This line stays too.' 'And on.'

# ---- Chinese
mkdir -p zh/cmrc2018/data zh/CrossWOZ/data/crosswoz zh/KdConv/data/film zh/HowToCook/dishes zh/Laws/行政法规
echo '[{"context_id": "1", "context_text": "他说：“走吧。”她没走。　后来走了！", "qas": [{"query_text": "谁走了？"}]},
    {"context_text": "今天这个模型的旧版本读了每一棵树。好。"}]' >zh/cmrc2018/data/cmrc2018_dev.json
echo '{"7": {"type": "x", "messages": [{"content": "要3份。", "role": "usr"}, {"content": "要5份。"}]}}' >val.json
python3 -c 'import zipfile
zipfile.ZipFile("zh/CrossWOZ/data/crosswoz/val.json.zip", "w").write("val.json")'
echo '[{"messages": [{"message": "好看吗？"}, {"attrs": [{"attrvalue": "x"}], "message": "还行。"}]}]' \
    >zh/KdConv/data/film/dev.json
echo '[{"name": "x"}]' >zh/KdConv/data/film/kb_film.json
printf '%s\n' '# 红烧肉和其他好吃的菜' '' '- 把[五花肉](a.md)切成**小块**，放进锅里。' \
    '![红烧肉做好了的样子](b.jpg)' '- 盐' >zh/HowToCook/dishes/a.md
printf '%s\n' '<!-- INFO END -->' '第二十三条 违反本条例的，由主管部门处理。' >zh/Laws/行政法规/b.md
n=0
for word in 模型 的 旧 版本 读 了 每 一 棵 树; do
    n=$((n + 1))
    printf '%d\t%s\t_\tNN\tNN\t_\t%d\tdep\t_\t_\n' $n $word $((n - 1))
done >data/pud/dev.conllx
expect 'Chinese sources' 0 python3 "$root/recipes/raw_text.py" --language zh zh data out.d
says 'zh/DRCD: not there, left out'
has cmrc2018 '他说：“走吧。”她没走。后来走了！' '好。'
has crosswoz '要3份。'
has kdconv '好看吗？' '还行。'
has howtocook '把五花肉切成小块，放进锅里。'
has laws '违反本条例的，由主管部门处理。'
row cmrc2018 12 4 12 0 1

# ---- messages
expect 'no dev or test set' 1 python3 "$root/recipes/raw_text.py" src src out2.d
says 'src: found no dev or test set'
absent out2.d
expect 'an unknown source' 2 python3 "$root/recipes/raw_text.py" src data out2.d --share novels=3
says "--share: found 'novels=3', expected NAME=WORDS"
expect 'no part' 2 python3 "$root/recipes/raw_text.py" src data out2.d --part 0
says '--part: found 0, expected a number above 0 and at most 1'
echo '[{"turns": ' >src/dstc8-schema-guided-dialogue/train/dialogues_002.json
expect 'broken JSON' 1 python3 "$root/recipes/raw_text.py" src data out3.d
says 'dstc8-schema-guided-dialogue: '
absent out3.d/MANIFEST.tsv
absent out3.d/dstc8.txt
echo 'no archive' >src/nltk_data/packages/corpora/inaugural.zip
expect 'a broken archive' 1 python3 "$root/recipes/raw_text.py" src data out4.d
says 'inaugural.zip: File is not a zip file'
mkdir -p none/x
cp data/pud/test.conllx none/x
expect 'no source' 1 python3 "$root/recipes/raw_text.py" none none out5.d
says 'found no source in none and none'
# ---- white space and places in CoNLL-U
printf "Don't go  there,\\tAnn\\302\\240B. I cannot.\\nNext line.\\n\\n\\n  More (text)...end.\\r\\nQ?" >spaces
expect 'white space and places' 0 "$lal" parse --format conllu --ranges spaces
awk -F '\t' 'NF == 10 { print $1, $2, $10 }' out >found
cat >wanted <<'END'
1-2 Don't TokenRange=0:5
1 Do _
2 n't _
3 go SpacesAfter=\s\s|TokenRange=6:8
4 there SpaceAfter=No|TokenRange=10:15
5 , SpacesAfter=\t|TokenRange=15:16
6 Ann SpacesAfter=\u00A0|TokenRange=17:20
7 B. TokenRange=21:23
END
head -n 8 found | diff wanted - || complain 'other places or spaces'
grep -q '^[0-9]*-[0-9]* cannot SpaceAfter=No|TokenRange=26:32$' found || complain 'cannot'
grep -q '^[0-9]* [.] SpacesAfter=\\n|TokenRange=32:33$' found || complain 'the end of a line'
grep -q '^[0-9]* [.] SpacesAfter=\\n\\n|TokenRange=43:44$' found || complain 'the end of a paragraph'
grep -q '^[0-9]* [.] SpacesAfter=\\r\\n|TokenRange=66:67$' found || complain 'the end of another line'
expect 'without places' 0 "$lal" parse --format conllu spaces
sed 's/|*TokenRange=[0-9:]*$//; s/\t$/\t_/' out >out.plain
"$lal" parse --format conllu --ranges spaces | sed 's/|*TokenRange=[0-9:]*$//; s/\t$/\t_/' | cmp -s - out.plain ||
    complain 'the rest should be the same'
expect 'tokens have places and no spaces' 0 "$lal" parse --format conllu --ranges --pretokenized spaces
prints 'TokenRange=10:16'
grep -q SpacesAfter out && complain 'spaces of tokens'
expect 'places of another format' 2 "$lal" parse --ranges spaces
says '--ranges: expected --format conllu'

finish
