#!/bin/sh
# hard.sh BUILD-FOLDER: the sentences of tests/english and tests/chinese, and recipes/hard.sh and words.sh against the
# tables of docs/ENGLISH.md and docs/CHINESE.md.
. "$(dirname "$0")/harness.sh"
for language in english chinese; do
    mkdir $language
    for part in open held-back; do
        gold=$root/tests/$language/$part
        expect "$language, $part" 0 python3 "$root/tests/cli/check_conllu.py" "$gold.conllu"
        if [ $language = english ]; then crossing=1; else crossing=0; fi
        expect "$language, $part, words" $crossing "$lal" convert check --deps "$gold.conllu" "$gold.trees"
        prints ' sentences: 0 with different words'
        grep -o '([^ ()]* [^ ()]*)' "$gold.trees" | sed 's/^(//; s/ .*//' >tags
        awk -F '\t' 'NF == 10 { print $5 }' "$gold.conllu" | diff tags - || complain 'tags of trees and arcs differ'
        sed -n "s/^# sent_id = \(.*\)-\([0-9]*\)$/\1 \2/p" "$gold.conllu" >$language/$part
    done
done
name='parts of English' # each construction has 1 to 8 here and 9 there, where others have 1 and 2
cut -d ' ' -f 1 english/open | uniq >constructions
cut -d ' ' -f 1 english/held-back | uniq | grep -vxFf constructions >others
sort constructions others | uniq -d | grep . && complain 'a construction in two places'
[ "$(wc -l <others)" = 20 ] || complain 'other constructions held back'
numbered() { while read -r c; do printf "$c %s\n" "$@"; done; }
numbered 1 2 3 4 5 6 7 8 <constructions | diff - english/open || complain 'other open sentences'
{ numbered 9 <constructions; numbered 1 2 <others; } | diff - english/held-back || complain 'other sentences held back'
name='parts of Chinese' # held back: where three divides the number and the place of the construction together
cut -d ' ' -f 1 chinese/open | uniq >constructions
[ "$(wc -l <constructions)" = 10 ] || complain 'other constructions'
numbered 1 2 3 4 5 6 7 8 9 10 11 12 <constructions |
    awk '$1 != last { place++; last = $1 } { print >("chinese/" ((place + $2) % 3 ? "some" : "third")) }'
diff chinese/some chinese/open || complain 'other open sentences'
diff chinese/third chinese/held-back || complain 'other sentences held back'

# table LANGUAGE MODELS: trees that are right, by construction; two may differ, as products of other processors may
table() {
    document=docs/$(echo "$1" | tr '[:lower:]' '[:upper:]').md
    expect "scores of $1" 0 env LAL="$lal" "$root/recipes/hard.sh" "$1" open
    sed -n '/^Open sentences/,/^## /{/^|/p}' "$root/$document" >table
    awk -F ' *[|] *' -v models="$2" '
        NR == FNR { n[$2] = $3; for (k = 0; k < models; k++) right[$2, k] = $(3 * k + 4); rows++; next }
        n[$2] != $3 { print $2 ": found " n[$2] " sentences in the document, expected " $3; bad = 1 }
        { seen++ }
        FNR > 2 && $2 != "all" { for (k = 0; k < models; k++) off[k] += ($(3 * k + 4) - right[$2, k]) ^ 2 }
        END { exit bad || seen != rows || rows < 3 || off[0] > 2 || off[1] > 2 || off[2] > 2 }' table out ||
        complain "$document: the table is not that of recipes/hard.sh $1 open"
}
table english 3
table chinese 1
expect 'nothing but the total of what is held back' 0 env LAL="$lal" "$root/recipes/hard.sh" english held-back small
lines 3
prints '| all | 80 |'
expect 'a third of the Chinese sentences' 0 env LAL="$lal" "$root/recipes/hard.sh" chinese held-back
lines 3
prints '| all | 40 |'
expect 'no such part' 2 "$root/recipes/hard.sh" english closed
says 'usage: recipes/hard.sh english|chinese open|held-back'
expect 'no such model' 1 env LAL="$lal" "$root/recipes/hard.sh" english open missing.lal
says 'missing.lal'

# ---- words of raw text
# on the level that all processors have: others may cut a word otherwise
plain=$("$lal" model info --devices -f json | sed -n 's/.*"levels": \[[^]]*"\([^"]*\)"\].*/\1/p')
expect 'words and ends of sentences' 0 env LAL_CPU="$plain" LAL="$lal" "$root/recipes/words.sh" zh \
    "$root"/tests/chinese/words/*.txt
sed -n '/^| text /,/^$/{/^|/p}' "$root/docs/CHINESE.md" | diff - out || complain 'docs/CHINESE.md has other scores'
printf '他  是 一 名 iPhone  15 的 用户 。\n她 来 了 。\n\n好 ！\n' >some.txt # blanks of the text are scored, too
expect 'another file' 0 env LAL="$lal" "$root/recipes/words.sh" zh some.txt
prints '| some | 3 | 15 |'
expect 'no files' 2 "$root/recipes/words.sh" zh
says 'usage: recipes/words.sh MODEL FILE...'
finish
