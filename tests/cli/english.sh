#!/bin/sh
# english.sh BUILD-FOLDER: the sentences of tests/english, and recipes/english.sh against the table of docs/ENGLISH.md.
. "$(dirname "$0")/harness.sh"
for part in open held-back; do
    gold=$root/tests/english/$part
    expect "$part" 0 python3 "$root/tests/cli/check_conllu.py" "$gold.conllu"
    expect "$part, words" 1 "$lal" convert check --deps "$gold.conllu" "$gold.trees"
    prints ' sentences: 0 with different words'
    grep -o '([^ ()]* [^ ()]*)' "$gold.trees" | sed 's/^(//; s/ .*//' >tags
    awk -F '\t' 'NF == 10 { print $5 }' "$gold.conllu" | diff tags - || complain 'tags of trees and arcs differ'
    sed -n "s/^# sent_id = \(.*\)-\([0-9]*\)$/\1 \2/p" "$gold.conllu" >"$part"
done
name='parts' # each construction has 1 to 8 here and 9 there, where others have 1 and 2
cut -d ' ' -f 1 open | uniq >constructions
cut -d ' ' -f 1 held-back | uniq | grep -vxFf constructions >others
sort constructions others | uniq -d | grep . && complain 'a construction in two places'
[ "$(wc -l <others)" = 20 ] || complain 'other constructions held back'
numbered() { while read -r c; do printf "$c %s\n" "$@"; done; }
numbered 1 2 3 4 5 6 7 8 <constructions | diff - open || complain 'other open sentences'
{ numbered 9 <constructions; numbered 1 2 <others; } | diff - held-back || complain 'other sentences held back'

# ---- trees that are right, by construction; two may differ, as products of other processors may
expect 'scores' 0 env LAL="$lal" "$root/recipes/english.sh" open
sed -n '/^Open sentences/,/^## /{/^|/p}' "$root/docs/ENGLISH.md" >table
awk -F ' *[|] *' '
    NR == FNR { n[$2] = $3; right[$2, 1] = $4; right[$2, 2] = $7; rows++; next }
    n[$2] != $3 { print $2 ": found " n[$2] " sentences in the document, expected " $3; bad = 1 }
    { seen++ }
    FNR > 2 && $2 != "all" { for (k = 1; k < 3; k++) off[k] += ($(3 * k + 1) - right[$2, k]) ^ 2 }
    END { exit bad || seen != rows || rows < 3 || off[1] > 2 || off[2] > 2 }' table out ||
    complain "docs/ENGLISH.md: the table is not that of recipes/english.sh open"
expect 'nothing but the total of what is held back' 0 env LAL="$lal" "$root/recipes/english.sh" held-back small
lines 3
prints '| all | 80 |'
expect 'no such part' 2 "$root/recipes/english.sh" closed
says 'usage: recipes/english.sh open|held-back'
expect 'no such model' 1 env LAL="$lal" "$root/recipes/english.sh" open missing.lal
says 'missing.lal'
finish
