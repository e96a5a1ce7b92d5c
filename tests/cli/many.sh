#!/bin/sh
# [PYTHON=COMMAND] many.sh BUILD-FOLDER: parsing on many machines: `lal split`, and examples/many/lal_dask.py (many.py).
. "$(dirname "$0")/harness.sh"
make_toy

# ---- a text whose paragraphs end in all ways, among them code that is none of several; its last line has no end
for k in $(seq 40); do
    printf 'Reader %d sees\nthe river of trees.\n\n\n' "$k"
    printf 'Trees of heads %d.\r\n \t\r\nThe parser reads it.\f' "$k"
    printf '```\nA tree %d.\n\nA head.\n```\n\n' "$k"
done >all.txt
printf '\357\273\277The end\000 of \377 it' >binary
gzip -c all.txt >zipped.txt.gz
cat_parts() { find "$1" -name "${2:-*}-[0-9]*.txt" | LC_ALL=C sort | xargs cat; }
# same_bytes FOLDER FILE [NAME]: the parts are the file, in the order of their names.
same_bytes() { cat_parts "$1" "${3-}" | cmp -s - "$2" || complain "the parts in $1 are not $2"; }
expect 'parts' 0 "$lal" split --parts-of 1K --out-dir parts all.txt
silent
same_bytes parts all.txt
[ "$(ls parts | head -n 2 | tr '\n' ' ')" = 'all-00001.txt all-00002.txt ' ] || complain 'other names'
n=$(ls parts | wc -l)
[ "$n" -eq 5 ] || complain "$n parts, expected 5"
for f in $(ls -d parts/* | head -n -1); do
    [ "$(wc -c <"$f")" -ge 1024 ] && [ "$(wc -c <"$f")" -lt 1200 ] || complain "$f has $(wc -c <"$f") bytes"
done
"$lal" tokenize all.txt >whole.tokens
for f in parts/*; do "$lal" tokenize "$f"; done | cmp -s - whole.tokens || complain 'a part ends inside a paragraph'
expect 'several inputs' 0 "$lal" split --parts-of 1K --out-dir some zipped.txt.gz binary /dev/null
same_bytes some all.txt zipped
same_bytes some binary binary
[ -e some/null-00001.txt ] && [ ! -s some/null-00001.txt ] || complain 'an empty text should be an empty part'
mkdir -p folder/below; cp all.txt folder/below; cp binary folder/b.txt
expect 'a folder, into a folder in it' 0 "$lal" split --out-dir folder/out folder
same_bytes folder/out/below all.txt
same_bytes folder/out binary b
for from in '<all.txt' '<zipped.txt.gz' '- <all.txt'; do
    rm -rf stream
    expect "standard input $from" 0 sh -c "\"$lal\" split --parts-of 1K --out-dir stream $from"
    same_bytes stream all.txt stdin
done
rm -rf stream
expect 'a pipe' 0 sh -c "{ head -c 1500 all.txt; sleep 0.1; tail -c +1501 all.txt; } |
    \"$lal\" split --parts-of 1K --out-dir stream"
cmp -s stream/stdin-00002.txt parts/all-00002.txt || complain 'parts depend on the pieces that come'
same_bytes stream all.txt stdin
seq 40000 >long
expect 'a long paragraph' 0 "$lal" split --parts-of 50K --out-dir long.paragraph long
says 'long:1: note: the part from here on has a longer paragraph (--at line cuts at lines)'
cmp -s long long.paragraph/long-00001.txt || complain 'it should be one part'
expect 'lines' 0 "$lal" split --parts-of 50K --at line --out-dir long.lines long
[ ! -s err ] || complain 'there is nothing to say'
same_bytes long.lines long
[ "$(ls long.lines | wc -l)" -eq 5 ] && [ "$(head -n 1 long.lines/long-00002.txt)" -gt 1 ] ||
    complain 'parts do not end at lines'
head -c 60000 "$build/liblalparser.a" | tr -d '\n' >line
expect 'a long line' 0 "$lal" split --parts-of 1K --at line --out-dir long.line line
says 'line:1: note: the part from here on has a longer line'

# ---- what is refused
for size in 0M -1M 64 64MB M 1.5G 1000000000K ' 1M' ''; do
    expect "parts of '$size'" 2 "$lal" split --parts-of "$size" --out-dir new all.txt
    says "--parts-of: found '$size', expected a number from 1 to 999999999 with K, M or G, such as 64M"
done
expect 'no folder' 2 "$lal" split all.txt
says 'found no --out-dir, expected --out-dir FOLDER'
expect 'a folder with files' 1 "$lal" split --out-dir parts all.txt
says 'parts: found a folder with files, expected a new or an empty one'
expect 'a file as folder' 1 "$lal" split --out-dir all.txt all.txt
says 'all.txt: cannot read: Not a directory'
expect 'no such text' 1 "$lal" split --out-dir new missing.txt
says 'missing.txt: cannot open: No such file or directory'
expect 'two texts of one name' 2 "$lal" split --out-dir new all.txt folder/below/all.txt
says 'which would both be written to new/all.txt'
absent new
head -c 300 zipped.txt.gz >damaged.gz
expect 'damaged data' 1 "$lal" split --parts-of 1K --out-dir damaged damaged.gz
says 'damaged.gz: '
no_leftovers
finish
