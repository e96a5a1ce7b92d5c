#!/bin/sh
# chinese.sh BUILD-FOLDER: recipes/zh.sh --mini: from trees of the Chinese Treebank's kind, arcs and a list of words to
# a model that parses raw text.
. "$(dirname "$0")/harness.sh"
for subject in 上海 北京 我们 经济 老师; do
    for verb in 发展 支持 喜欢 参观; do
        for object in 音乐 公司 学校; do
            echo "(TOP (IP (NP (NN $subject)) (VP (ADVP (AD 也)) (VP (VV $verb) (NP (NN $object)))) (PU 。)))"
        done
    done
done >all.trees
mkdir -p data/zh-mctb data/zh-gsd data/zh-hkcfl
"$lal" convert --to conllx --deps chinese-ud.rules --out all.conllx all.trees
cp all.trees data/zh-mctb/train.trees
cp all.conllx data/zh-gsd/train.conllx
sed 's/喜欢/喜歡/' all.conllx >data/zh-hkcfl/train.conllx
cat all.trees all.trees all.trees all.trees >data/zh-mctb/dev.trees # heads get names from 1,000 words
"$lal" convert --to conllx --deps chinese-ud.rules --out data/zh-gsd/dev.conllx data/zh-mctb/dev.trees
printf '樂\t乐\n京\t京 亰\n歡\t欢\n' >variants.txt
printf '上海 1250 ns\n音乐 900 n\n参观 12 v\n罕见 3 a\n' >dict.txt
mkdir enc
cp -r "$root/tests/golden/encoders/bert-tiny" enc/bge-small-zh
cp -r "$root/tests/golden/encoders/xlmr-tiny" enc/multilingual-e5-small
export LAL="$lal"
zh="$root/recipes/zh.sh --mini data enc dict.txt variants.txt made"

expect 'the steps' 0 $zh
lines 4
prints '| sets | 0 | 180 sentences |'
prints '| base | 0 | zh-mctb '
awk -F '\t' 'NF && ($4 == "" || $4 == "_" || $10 != "SpaceAfter=No")' made/made.conllu made/data/*.conllu | grep . &&
    complain 'each word should have a part of speech, and no blank after it'
[ "$(wc -l <made/made.trees)" -eq 33 ] || complain 'expected three sentences of each construction'
echo 'sentence = {a}' >patterns
expect 'a pattern of nothing' 1 python3 "$root/recipes/zh_constructions.py" patterns
says 'patterns: no line explains a'
cat >patterns <<'END'
# a pattern of a word and a phrase
sentence = {a}
n: NN 马 鸟
a = (IP (NP {n}) (VP (ADVP (AD 不))
    (VP (VP (ADVP (AD 再)) (VP (VV 飞))))))
END
echo '(TOP (IP (NP (NN 马)) (VP (VV 不再飞))))' >known.trees
expect 'phrases in nothing but a phrase, and what is known' 0 python3 "$root/recipes/zh_constructions.py" --each 1 \
    --not known.trees patterns
prints '(TOP (IP (NP (NN 鸟)) (VP (ADVP (AD 不)) (ADVP (AD 再)) (VP (VV 飞)))))'
expect 'what is in zh-base' 0 "$lal" model info -m made/zh-base.lal
prints 'language="trained"'
prints 'default     zh-mctb'
prints 'raw text    learnt: a table of 2^19 weights, 0 multiword tokens, a list of words, variants of characters'
prints 'zh-mctb-characters zh-gsd-characters'
! grep -qa '"vocab.lemmas"' made/zh-base.lal || complain 'each word is its own lemma, so no list of lemmas is needed'
echo '老师也喜欢音乐。北京也发展公司。' >text
expect 'parsing with zh-base' 0 "$lal" parse -m made/zh-base.lal -f conllu text
prints '	音乐	音乐	'
prints 'SpaceAfter=No'
grep -v '^#' out | cut -f 1,4-8 >simplified
awk -F '\t' '/^[0-9]/ { printf "%s%s", n++ ? " " : "", $2 } !NF { print ""; n = 0 }' out >words
expect 'words of zh-base alone' 0 "$lal" tokenize -m made/zh-base.lal --out again text
cmp again words || complain 'lal tokenize cuts otherwise than lal parse'
sed -i 's/喜欢音乐/喜歡音樂/' text
expect 'traditional characters with zh-base' 0 "$lal" parse -m made/zh-base.lal -f conllu text
prints '	音樂	音樂	'
grep -v '^#' out | cut -f 1,4-8 | cmp - simplified || complain 'traditional characters are parsed otherwise'
grep warning err && complain 'a text of its own script'
{ # words of raw text from a file of their own
    for _ in 1 2 3 4 5; do
        printf '1\t杭\t_\tX\tNN\t_\t2\tdep\t_\tSpaceAfter=No\n2\t州北\t_\tX\tNN\t_\t0\troot\t_\tSpaceAfter=No\n\n'
    done
} >words.conllu
learn() {
    name=$1 status=$2 language=$3
    shift 3
    rm -f words.lal
    expect "$name" "$status" "$lal" train --quiet --language "$language" --treebank zh-mctb --preset small "$@" \
        --d-model 32 --n-layers 1 --n-heads 2 --d-kv 16 --d-ff 48 --max-updates 1 --name zh-mctb \
        --train made/data/zh-mctb.train.trees --train-deps made/data/zh-mctb.train.conllu --out words.lal
}
learn 'words of another text' 0 trained --word-text words.conllu
echo '杭州北' >text
expect 'words as another text has them' 0 "$lal" tokenize -m words.lal text
prints '杭 州北'
for text in '' '--word-text words.conllu'; do
    learn 'characters' 0 trained --characters $text
    expect 'how many there are' 0 "$lal" model info -m words.lal
    sed -n 's/.* updates, \([0-9]*\) sentences.*/\1/p' out >>counts
done
{ read -r without; read -r with; } <counts
[ $((with - without)) = 5 ] || complain 'characters of another text are not learnt'
learn 'words of a language with rules' 1 english --word-text words.conllu
says '--word-text: found a model of the language english, expected trained'
awk 'NF' all.conllx | cut -f 2 | tr -d '\n' | sed 's/。/。\n/g' >sentences
expect 'with raw text' 0 ${zh}2 sentences
prints '| base | 0 | zh-mctb '
[ "$(wc -l <made2/text1.jsonl)" -eq 60 ] || complain 'soft targets of each sentence'
expect 'what was learnt from it' 0 "$lal" model info -m made2/base.lal
prints 'from base2.lal'
no_leftovers
expect 'a file is missing' 1 "$root/recipes/zh.sh" data data dict.txt variants.txt made
says 'bge-small-zh/vocab.txt: no such file'
expect 'nothing' 2 "$root/recipes/zh.sh"
says 'usage: recipes/zh.sh [--mini] DATA ENCODERS WORDS VARIANTS OUT [TEXT...]'
finish
