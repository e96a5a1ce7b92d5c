#!/bin/sh
# conllu.sh BUILD-FOLDER: a pipeline learnt from CoNLL-U alone: words, parts of speech, features, lemmas, arcs.
. "$(dirname "$0")/harness.sh"
make_toy || exit 1

# The toy treebank as a release has it: "in the" is one token, "inthe", and the period touches the word before it.
release() {
    awk -F '\t' '
        function sentence(k, text, glue) {
            for (k = 1; k <= n; k++) {
                pair = form[k] == "in" && form[k + 1] == "the"
                glue = form[k + 1] == "."
                text = text (pair ? "inthe" : form[k]) (k + pair < n && form[k + pair + 1] != "." ? " " : "")
                if (pair) rows = rows k "-" k + 1 "\tinthe\t_\t_\t_\t_\t_\t_\t_\t_\n"
                rows = rows row[k] (glue && !pair ? "SpaceAfter=No" : "_") "\n"
                if (pair) rows = rows row[++k] "_\n"
            }
            print "# text = " text "\n" rows
            n = 0; rows = ""
        }
        NF { n++; form[n] = $2; number = $5 ~ /S$/ ? "Number=Plur" : $5 ~ /^NN/ ? "Number=Sing" : "_"
             lemma = tolower($2); sub(/s$/, "", lemma)
             row[n] = $1 "\t" $2 "\t" lemma "\t" substr($5, 1, 1) "\t_\t" number "\t" $7 "\t" $8 "\t_\t" }
        !NF && n { sentence() }
        END { if (n) sentence() }' "$1"
}
release train.conllx >train.conllu
release dev.conllx >dev.conllu
grep -q 'inthe' train.conllu || complain 'no multiword token'

expect 'training' 0 env LAL_PROGRESS=0 "$lal" train --conllu train.conllu --dev-conllu dev.conllu $tiny --epochs 40 \
    --lr 0.01 --out my.lal
says ' analysis '
expect 'what is in the model' 0 "$lal" model info -m my.lal
prints 'language="trained"'
prints 'analyses    '
prints 'raw text    learnt: a table of 2^19 weights, '
sed -n 's/^# text = //p' dev.conllu >text
expect 'raw text' 0 "$lal" parse -m my.lal -f conllu --out got.conllu text
grep '^# deps = UD v2' got.conllu >/dev/null || complain 'it should name the scheme'
grep -P '^[0-9]+-[0-9]+\tinthe\t' got.conllu >/dev/null || complain 'no multiword token'
words() { awk -F '\t' '$1 ~ /^[0-9]+$/ { print $2, $3, $4, $6 }' "$1"; }
words dev.conllu >gold
words got.conllu >found
[ "$(wc -l <gold)" -eq "$(wc -l <found)" ] || complain 'other words'
different=$(diff gold found | grep -c '^<')
[ $((different * 10)) -le "$(wc -l <gold)" ] || complain "$different words are not analysed as in gold"
expect 'another number of threads' 0 "$lal" parse -m my.lal -f conllu --threads 3 --out three.conllu text
cmp got.conllu three.conllu || complain 'the output depends on the number of threads'
expect 'no format, of a model without trees' 0 "$lal" parse -m my.lal text
cmp out got.conllu || complain 'it should be CoNLL-U'
expect 'and a file for each input' 0 "$lal" parse -m my.lal --out-dir each text
cmp each/text.conllu got.conllu || complain 'its name should end so'
expect 'trees of such a model' 0 "$lal" parse -m my.lal -f brackets text
grep -q '^(TOP ' out || complain 'a format that is asked for is written'
expect 'its own output as a treebank' 0 "$lal" eval --gold-deps dev.conllu --pred-deps got.conllu
expect 'words alone' 0 "$lal" tokenize -m my.lal text
grep -q ' in the ' out || complain 'words of multiword tokens should be apart'
expect 'JSON' 0 "$lal" parse -m my.lal -f json text
prints '"feats": "Number=Sing"'
expect 'parts of speech where there are no tags' 0 "$lal" parse -m my.lal -f brackets text
prints '(N '
! grep -qF '(_ ' out || complain 'a tag that says nothing'
expect 'smaller numbers' 0 "$lal" model quantize -m my.lal --dtype f16 --out half.lal
expect 'raw text' 0 "$lal" parse -m half.lal -f conllu text
grep -qP '^[0-9]+-[0-9]+\tinthe\t' out || complain 'no multiword token'
expect 'going on' 0 "$lal" train --init my.lal --train none --train-deps dev.conllx $tiny --epochs 1 --out on.lal

# The recipe: a treebank as it is released, with trees, and trees alone.
mkdir -p UD_Toy trees
for split in train dev; do
    cp $split.conllu "UD_Toy/toy-ud-$split.conllu"
    cp $split.trees trees
done
# A test set without rows of multiword tokens: "# text" has other words in the place of those that touch each other.
{
    grep -v '^[0-9]*-' dev.conllu
    echo '# text = encaixá-lo no rio.'
    printf '%s\t%s\t_\tX\t_\t_\t%s\tdep\t_\tSpaceAfter=%s\n' 1 encaixá 0 No 2 lo 1 Yes 3 em 1 No 4 o 1 Yes 5 rio 1 No \
        6 . 1 No
    echo
} >UD_Toy/toy-ud-test.conllu
cp dev.trees trees/test.trees
language="$root/recipes/language.sh"
expect 'a recipe' 0 env LAL="$lal" "$language" --mini UD_Toy made
prints '## UD_Toy'
prints 'MLAS '
prints 'arcs       UAS '
expect 'how it was made' 0 "$lal" model info -m made/UD_Toy.lal
prints 'raw text    learnt: a table of 2^19 weights, 1 multiword tokens'
cp made/UD_Toy.lal once.lal
expect 'the recipe again' 0 env LAL="$lal" "$language" --mini UD_Toy made
cmp once.lal made/UD_Toy.lal || complain 'a model that stands there was made again'
expect 'with raw text' 0 env LAL="$lal" "$language" --mini UD_Toy taught '' text
expect 'with raw text again' 0 env LAL="$lal" "$language" --mini UD_Toy taught '' text
expect 'what it learnt from' 0 "$lal" model info -m taught/UD_Toy.lal
prints 'default     UD_Toy'
prints 'from UD_Toy.2.lal'
cp "$root/models/headrules/english.rules" trees
last=$("$lal" model info --devices --format json | sed -n 's/.*"levels": \[\([^]]*\)\].*/\1/p' | tr -d '",')
expect 'a recipe for trees alone, on a level without bf16' 0 env LAL_CPU="${last##* }" LAL="$lal" "$language" --mini \
    trees made
prints '## trees'
prints 'brackets '
prints 'arcs       UAS '
expect 'a folder without a treebank' 1 env LAL="$lal" "$language" --mini made other
says 'found no train.conllu and no train.trees, expected one'
expect 'no folder' 2 "$language"
says 'usage: recipes/language.sh [--mini] TREEBANK OUT [ENCODER [TEXT...]]'

# What the model does not predict goes through: comments, ranges, empty nodes, tags, DEPS, MISC.
{
    printf '# newdoc id = d1\n# newpar\n# sent_id = d1-s1\n# note = of its own\n'
    printf '1\tthe\t_\t_\tDT\t_\t2\tdet\t2:det\tSpaceAfter=No|Gloss=x\n'
    printf '2\tdog\t_\t_\tNN\t_\t0\troot\t0:root|3:x\t_\n'
    printf '2.1\tnone\t_\t_\t_\t_\t_\t_\t2:e\tKept=Yes\n\n'
    printf '# text = inthe dog .\n1-2\tinthe\t_\t_\t_\t_\t_\t_\t_\tRange=1\n1\tin\t_\t_\tIN\t_\t3\tcase\t_\t_\n'
    printf '2\tthe\t_\t_\tDT\t_\t3\tdet\t_\t_\n3\tdog\t_\t_\tNN\t_\t0\troot\t_\tSpaceAfter=No\n'
    printf '4\t.\t_\t_\t.\t_\t3\tp\t_\tA=1\n\n'
} >given.conllu
expect 'rows of a file' 0 "$lal" parse -m my.lal --input conll -f conllu given.conllu
prints '# text = thedog'
prints '# sent_id = 2'
# without the columns that the model predicts, and the comments that the file lacks
others() { grep -vE '^# (deps =|text = thedog|sent_id = 2)' "$1" | awk -F '\t' -v OFS='\t' \
    'NF { if ($1 ~ /^[0-9]+$/) $3 = $4 = $6 = $7 = $8 = "" } { print }'; }
others given.conllu >before
others out | cmp -s - before || { complain 'something of the file is lost'; others out | diff before -; }
grep -P '^3\tdog\tdog\tN\tNN\tNumber=Sing\t[0-9]' out >/dev/null || complain 'an analysis should be predicted'
cp out once
expect 'its own output' 0 "$lal" parse -m my.lal --input conll -f conllu once
cmp -s out once || complain 'rows change when they are parsed again'
expect 'JSON of rows' 0 "$lal" parse -m my.lal --input conll -f json given.conllu
prints '"text": "thedog"'
expect 'how sure' 0 "$lal" parse -m toy.lal --input conll -f conllu --confidence given.conllu
cp out sure
expect 'and again' 0 "$lal" parse -m toy.lal --input conll -f conllu --confidence sure
[ "$(sort out)" = "$(sort sure)" ] || complain 'comments of the first parse should be replaced'
expect 'the best parses of rows' 0 "$lal" parse -m toy.lal --input conll -f conllu --kbest 2 given.conllu
prints '# sent_id = d1-s1.2'
[ "$(grep -c '^# newdoc' out)" -eq 1 ] || complain 'a document begins with one of the parses'

cut -f 2 train.conllx | sort -u >list
printf 'ä a\nþ\tt\n' >variants
expect 'words of trees alone, and a list' 0 "$lal" train --language trained --train train.trees \
    --train-deps train.conllx --word-list list --variants variants $tiny --epochs 1 --out words.lal
expect 'what is in the model' 0 "$lal" model info -m words.lal
prints 'raw text    learnt: a table of 2^19 weights, '
prints ', a list of words, variants of characters'
expect 'raw text' 0 "$lal" parse -m words.lal --out plain.trees text
sed 's/a/ä/g; s/t/þ/g' text >varied
expect 'the same in other characters' 0 "$lal" parse -m words.lal --out varied.trees varied
grep -q 'þ' varied.trees || complain 'the output should have the characters of the text'
sed 's/ä/a/g; s/þ/t/g' varied.trees | cmp - plain.trees || complain 'characters are not read as others'
expect 'a list for English' 1 "$lal" train --train train.trees --train-deps train.conllx --word-list list \
    $tiny --out no.lal
says '--word-list: found a model of the language english, expected trained'
expect 'treebanks twice' 2 "$lal" train --conllu train.conllu --train-deps train.conllx $tiny --out no.lal
says '--conllu: found --train-deps, expected one of them'
expect 'a model without a tagger' 1 "$lal" train --conllu train.conllu $tiny --d-tag-hidden 0 --out no.lal
says 'expected one (d_tag_hidden) that scores analyses of words'
absent no.lal
finish
