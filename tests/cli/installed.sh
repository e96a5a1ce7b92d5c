#!/bin/sh
# installed.sh BUILD INSTALLED PREFIX: the program that `make install DESTDIR=INSTALLED` put there, in a folder of its
# own: it finds the files that come with it, and the shells and man find theirs.
installed=$2 prefix=$3
. "$(dirname "$0")/harness.sh"
lal=$installed$prefix/bin/lal evalb=$installed$prefix/bin/evalb share=$installed$prefix/share
unset LAL_MODEL
cp "$root"/tests/golden/evalb/sample.gld "$root"/tests/golden/evalb/sample.tst .

# ---- builds in two folders are equal: nothing holds the name of this one
for f in "$lal" "$evalb" "$installed$prefix"/lib/liblalparser.so; do
    expect "the folder of the sources in $(basename "$f")" 1 grep -qF "$root" "$f"
done

# ---- parameter files of EVALB, by name; they say what EVALB's say
for p in nk COLLINS sample; do
    [ $p = sample ] && of=sample || of=COLLINS # whose output that with nk.prm is, too
    cat "$root/tests/golden/evalb/$of-sample.out" >wanted
    for given in $p.prm $p; do
        expect "lal evalb -p $given" 0 "$lal" evalb -p $given sample.gld sample.tst
        cmp -s wanted out || complain 'the output is not that of EVALB'
        expect "evalb -p$given" 0 "$evalb" -p$given sample.gld sample.tst
        cmp -s wanted out || complain 'the output is not that of EVALB'
    done
    settings() { sed '/^#/d; /^$/d; s/[ \t]*$//; s/[ \t][ \t]*/ /g' "$1"; }
    settings "$share/lalparser/evalb/$p.prm" >ours
    name="the settings of $p.prm"
    settings "$root/tests/golden/evalb/prm/$p.prm" | diff - ours || complain 'they differ from those of EVALB'
done
echo 'LABELED 0' >nk.prm
expect 'a file of this folder comes first' 0 "$lal" evalb -p nk.prm sample.gld sample.tst
cmp -s out "$root/tests/golden/evalb/COLLINS-sample.out" && complain 'it was not read'
rm nk.prm
expect 'no such parameter file' 1 "$lal" evalb -p kn sample.gld sample.tst
expect 'with a folder in its name' 1 "$lal" evalb -p ./nk.prm sample.gld sample.tst

# ---- examples by name
expect 'an example as text' 0 "$lal" parse examples/news.txt
"$lal" parse "$root/examples/news.txt" | cmp -s - out || complain 'it should be the parse of the example'
expect 'an example as trees, with head rules' 0 "$lal" convert --to conllx --deps english.rules examples/news.trees
expect 'an example as tokens' 0 "$lal" tokenize examples/news.txt
expect 'an example drawn' 0 "$lal" convert draw examples/news.trees
expect 'an example counted' 0 "$lal" convert stats examples/news.trees --deps english.rules
expect 'an example scored' 0 "$lal" eval --gold examples/news.trees --gold-deps english.rules
expect 'an example explained' 0 "$lal" inspect --input brackets examples/news.trees
mkdir examples; echo 'Rain fell.' >examples/news.txt
expect 'a file of this folder comes first' 0 "$lal" tokenize examples/news.txt
prints 'Rain fell .'
rm -r examples
expect 'no such example' 1 "$lal" parse examples/old.txt
says 'examples/old.txt: cannot open'

# ---- scripts
expect 'a converter of treebanks' 0 "$share/lalparser/recipes/sinica.py" /dev/null

# ---- plans by name
for p in label-layers roles guidance guided patterns pal gates reduced roles-classify translate-roles \
    translate-guidance translate-gates summaries topics pretrain-guidance; do
    expect "the plan $p" 0 "$share/lalparser/recipes/ablate.py" $p --check
    grep -qE '^plain: [0-9]+ epochs$' out || complain 'no run of the reference'
    prints 'differences to plain, 10000 resamples'
done
expect 'the plan label-attention' 0 "$share/lalparser/recipes/ablate.py" label-attention --check
prints 'differences to none, 10000 resamples'
expect 'no such plan' 2 "$share/lalparser/recipes/ablate.py" roels --check
says "found 'roels', expected a plan that comes with the program or a file; did you mean 'roles'?"

# ---- speed, without any file of the sources
expect 'bench' 0 "$lal" bench --seconds 0.01 --threads 1 --only parse-shipped
prints '"name": "parse-shipped"'
expect 'bench of nothing' 2 "$lal" bench --only parse-shiped
says "did you mean 'parse-shipped'?"

# ---- the shells and man
expect 'completion of bash' 0 bash -n "$share/bash-completion/completions/lal"
"$lal" help --completion zsh | cmp -s - "$(find "$share/zsh" -name _lal)" || complain 'the file of zsh is another one'
expect 'the manual page' 0 grep -q 'LAL train' "$share/man/man1/lal.1"

finish
