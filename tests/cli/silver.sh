#!/bin/sh
# silver.sh BUILD-FOLDER: models/silver.sh: sets with trees under given arcs, and their use in `lal train`.
. "$(dirname "$0")/harness.sh"
make_toy

mkdir -p data/ewt data/childes
for set in train-agree dev-agree; do
    cp dev.trees data/ewt/$set.trees
    cp dev.conllx data/ewt/$set.conllx
done
cp train.conllx data/childes/train.conllx
cp dev.conllx data/ewt/train-silver.conllx
rows() { # WORD HEAD TYPE...
    n=0
    while [ $# -gt 0 ]; do
        n=$((n + 1))
        printf '%d\t%s\t_\tNN\tNN\t_\t%s\t%s\t_\t_\n' $n "$1" "$2" "$3"
        shift 3
    done
    echo
}
rows the 2 det dog 1 dep sleeps 0 root >cycle
rows a 3 x b 4 x c 0 root d 3 x >cross
rows a 2 det b 0 root >sound
{ echo '# a comment'; cat cycle sound; echo; cat dev.conllx cross; } >data/ewt/train-rest.conllx
chmod -R a-w data/ewt/train-agree.trees data/ewt/train-rest.conllx
export LAL="$lal" TREEBANK=toy
silver() { expect "$1" "$2" "$root/models/silver.sh" "$3" "$4" "$5"; }

silver 'all sets' 0 data toy.lal sets
prints '| ewt-agree | 20 | '
prints '| ewt-rest | 23 | '
grep -q '^| ewt-rest | 23 | [0-9]* | 21 | 1 | 1 | 2 |$' out || { complain 'ewt-rest has other counts'; cat out; }
prints '| ewt-silver | 20 | '
grep -q '^| childes | 80 | [0-9]* | 80 | 0 | 0 | 0 |$' out || { complain 'childes has other counts'; cat out; }
cp out table
no_leftovers
cmp cross sets/ewt-rest.arcs.conllx || complain 'arcs that no tree has are not as given'
cat sound dev.conllx | cmp - sets/ewt-rest.conllx || complain 'the other arcs are not as given'
cmp sets/ewt-agree.trees dev.trees || complain 'given trees were changed'
cmp sets/childes.conllx train.conllx || complain 'given arcs were changed'
absent sets/childes.arcs.conllx
grep -q 'train-rest.conllx:2: the arc of word 1' sets/ewt-rest.notes || complain 'the notes lack an arc'
expect 'trees and arcs' 0 "$lal" check --trees sets/ewt-rest.trees --deps sets/ewt-rest.conllx
expect 'a check' 0 "$root/models/silver.sh" --check sets
# shellcheck disable=SC2046,SC2086
expect 'training on the sets' 0 "$lal" train $tiny $(cat sets/OPTIONS.txt) --max-updates 5 --out new.lal
says '142 sentences'
says '1 sentences without a tree'

silver 'a second run' 0 data toy.lal sets
[ ! -s err ] || { complain 'it should make nothing'; cat err; }
cmp -s out table || complain 'it should print the same table'
rm sets/ewt-silver.made
silver 'one set is missing' 0 data toy.lal sets
[ "$(grep -c '^==' err)" -eq 1 ] || { complain 'it should make one set'; cat err; }
says 'ewt-silver'
cmp -s out table || complain 'it should print the same table'
"$lal" train $data $tiny --max-updates 3 --out other.lal 2>/dev/null
silver 'another model' 0 data other.lal sets
[ "$(grep -c '^==' err)" -eq 3 ] || { complain 'it should make three sets'; cat err; }
no_leftovers

expect 'conventions' 0 "$root/models/silver.sh" --conventions data toy.lal
prints '| toy | '
lines 3

# ---- messages
sed 1d dev.trees >sets/childes.trees
expect 'a changed file' 1 "$root/models/silver.sh" --check sets
says 'sets/childes: the files are not those that were written'
expect 'no sets' 1 "$root/models/silver.sh" --check missing
says 'missing/ewt-agree.made: no such file'
mkdir broken
cp -r data/childes data/ewt broken
rows a 9 det b 0 root >broken/ewt/train-silver.conllx
silver 'a head out of range' 1 broken toy.lal bad
says 'train-silver.conllx:1: found head 9'
absent bad/ewt-silver.trees
absent bad/OPTIONS.txt
[ -s bad/ewt-rest.made ] || complain 'the sets before it are lost'
no_leftovers
sed 1d dev.trees >broken/ewt/train-agree.trees
silver 'trees of other sentences' 1 broken toy.lal bad2
says 'train-agree: the number of trees is not that of its sentences'
absent bad2/ewt-agree.trees
rm -f broken/ewt/train-rest.conllx
silver 'a missing file' 1 broken toy.lal bad3
says 'broken/ewt/train-rest.conllx: no such file'
absent bad3
silver 'a missing model' 1 data missing.lal bad3
says 'missing.lal: no such file'
silver 'a missing folder' 1 nowhere toy.lal bad3
says 'nowhere: no such folder'
TREEBANK=zzz
silver 'conventions that the model does not know' 1 data toy.lal bad3
says 'zzz'
absent bad3/ewt-rest.trees
silver 'a blank in a name' 1 data toy.lal 'bad 4'
says 'found a blank in '
expect 'one argument' 2 "$root/models/silver.sh" data
says 'models/silver.sh DATA MODEL [OUT]'
finish
