#!/bin/sh
# [PYTHON=COMMAND] many.sh BUILD-FOLDER: parsing on many machines: `lal split`, and examples/many/lal_dask.py where Dask
# is installed.
. "$(dirname "$0")/harness.sh"
make_toy

# ---- every way to end a paragraph, fenced code with an empty line inside, and a last line without a newline
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
seq 20000 | tr -d '\n' | head -c 60000 >line
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

# ---- Dask: three workers, one of which is killed in the middle; a part that is no text
export PYTHONDONTWRITEBYTECODE=1
python=
for p in "${PYTHON:-python3}" /usr/bin/python3; do
    [ "$python" ] || { "$p" -c 'import distributed' 2>/dev/null && python=$p; }
done
[ "$python" ] || { echo 'skipped: there is no Dask (./setup --tests)'; finish; exit; }
for k in 1 2 3 4 5 6; do cat all.txt; done >dask.txt
"$lal" split --parts-of 1K --out-dir dask dask.txt
n=$(ls dask | wc -l)
"$lal" parse --model toy.lal --quiet dask.txt >whole
cp dask/dask-00003.txt good && printf '\377' >>dask/dask-00003.txt
cat >killing <<END
#!/bin/sh
# As lal, but the first one that gets part 5 kills the worker that runs it, and leaves what a killed lal leaves.
case "\$*" in *dask-00005.txt)
    mkdir killed 2>/dev/null && : >parsed/dask-00005.trees.tmp-lal00 && kill -KILL \$PPID && exit ;;
esac
exec "$lal" "\$@"
END
chmod +x killing
many() { expect "$1" "$2" env LAL="$3" "$python" "$root/examples/many/lal_dask.py" dask parsed --format brackets \
    --workers 3 -- --model "$work/toy.lal"; }
many 'Dask' 1 "$work/killing"
says "$n of $n parts, "
says ' words/s, 1 failed'
[ -d killed ] || complain 'no worker was killed'
[ "$(wc -l <parsed/failed.txt)" -eq 1 ] || complain 'one part should have failed'
grep -q "/dask/dask-00003.txt	lal parse: .*: found bytes that are not UTF-8$" parsed/failed.txt ||
    complain "failed.txt has $(cat parsed/failed.txt)"
absent parsed/dask-00003.trees
no_leftovers
cp good dask/dask-00003.txt
"$lal" parse --model toy.lal --quiet --out parsed/dask-00003.trees dask/dask-00003.txt
cat parsed/*.trees | cmp -s - whole || complain 'the results are not those of one run of lal parse'
: >parsed/dask-00001.trees.tmp-lal00
ls -l --time-style=full-iso parsed/*.trees >before
many 'Dask again' 0 missing
says "$n of $n parts are left out: their outputs exist"
says '0 of 0 parts, '
absent parsed/failed.txt
ls -l --time-style=full-iso parsed/*.trees | cmp -s - before || complain 'a result was written again'
no_leftovers
rm parsed/dask-00001.trees
expect 'a program that workers lack' 1 env LAL=missing "$python" "$root/examples/many/lal_dask.py" dask parsed \
    --format brackets --workers 1
says 'expected lal in one version'
expect 'a file as folder of parts' 2 "$python" "$root/examples/many/lal_dask.py" dask.txt parsed
says 'IN: found dask.txt, expected a folder'
finish
