#!/bin/sh
# silver.sh BUILD-FOLDER: recipes/silver.sh: sets with trees under given arcs, and their use in `lal train`.
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
silver() { expect "$1" "$2" "$root/recipes/silver.sh" "$3" "$4" "$5"; }

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
expect 'trees and arcs' 0 "$lal" convert check sets/ewt-rest.trees --deps sets/ewt-rest.conllx
expect 'a check' 0 "$root/recipes/silver.sh" --check sets
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


# ---- learners' English, if it is there
[ "$(grep -c '' table)" -eq 6 ] || complain 'a row too many'
mkdir data/eslspok
cp sound data/eslspok/train.conllx
silver 'one set more' 0 data other.lal sets
grep -q '^| eslspok | 1 | 2 | 1 | 0 | 0 | 0 |$' out || { complain 'eslspok has other counts'; cat out; }
[ "$(grep -c '^==' err)" -eq 1 ] || { complain 'it should make one set'; cat err; }
grep -q '^--name ewt --train .*/eslspok.trees' sets/OPTIONS.txt || complain 'OPTIONS.txt lacks it'
expect 'a check of it, too' 0 "$root/recipes/silver.sh" --check sets
rm -r data/eslspok

expect 'conventions' 0 "$root/recipes/silver.sh" --conventions data toy.lal
prints '| toy | '
lines 3

# ---- amounts
cat >money.trees <<'END'
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (NP ($ $) (NP (CD 3.5) (CD million))) (PP (IN in) (NP (NN cash)))))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (DT a) (ADJP ($ $) (CD 2) (CD billion)) (NN debt)))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (RB about) ($ $) (CD 3) (CD million)))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (QP (CD two) (CD million)) (NNS users)))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP ($ $) (CD 5)))))
(TOP (NP (NP (DT a) (CD 5)) (NP (CD million) (NN time))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (NP ($ $) (CD 5)) (DT a) (NN share)))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (CD 6) (NNS cats)) (NP (DT a) (NN day)) (ADVP (RB now)))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (NP (NP (CD 6) (NNS cats)) (NP (DT a) (NN day))) (PP (IN in) (NN all))))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (CD 6) (NNS cats)) (NP (DT a) (NN day) (NN off)))))
END
arcs() { # WORD TAG HEAD TYPE...
    n=0
    while [ $# -gt 0 ]; do
        n=$((n + 1))
        printf '%d\t%s\t_\t%s\t%s\t_\t%s\t%s\t_\t_\n' $n "$1" "$2" "$2" "$3" "$4"
        shift 4
    done
    echo
}
it='It PRP 2 nsubj has VBZ 0 root'
{
    arcs $it '$' '$' 2 dobj 3.5 CD 3 num million CD 3 num in IN 3 prep cash NN 6 pobj
    arcs $it a DT 7 det '$' '$' 7 nn 2 CD 6 number billion CD 4 num debt NN 2 dobj
    arcs $it about RB 5 advmod '$' '$' 6 nn 3 CD 6 num million CD 2 dobj
    arcs $it two CD 4 number million CD 5 num users NNS 2 dobj
    arcs $it '$' '$' 2 dobj 5 CD 3 num
    arcs a DT 2 det 5 CD 0 root million CD 4 num time NN 2 dep
    arcs $it '$' '$' 2 dobj 5 CD 3 num a DT 3 det share NN 2 dep
    arcs $it 6 CD 4 num cats NNS 6 nsubj a DT 6 det day NN 2 dobj now RB 2 advmod
    arcs $it 6 CD 4 num cats NNS 2 dobj a DT 6 det day NN 4 dep in IN 4 prep all NN 7 pobj
    arcs $it 6 CD 4 num cats NNS 2 dobj a DT 7 det day NN 7 nn off NN 2 tmod
} >money.conllx
cat >right.trees <<'END'
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (NP (QP ($ $) (CD 3.5) (CD million))) (PP (IN in) (NP (NN cash)))))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (DT a) (ADJP (QP ($ $) (CD 2) (CD billion))) (NN debt)))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (QP (RB about) ($ $) (CD 3) (CD million))))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (QP (CD two) (CD million)) (NNS users)))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (NP ($ $) (CD 5)) (NP (DT a) (NN share))))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (NP (CD 6) (NNS cats)) (NP (DT a) (NN day))) (ADVP (RB now)))))
(TOP (S (NP (PRP It)) (VP (VBZ has) (NP (NP (NP (CD 6) (NNS cats)) (NP (DT a) (NN day))) (PP (IN in) (NN all))))))
END
{
    arcs $it '$' '$' 2 dobj 3.5 CD 5 number million CD 3 num in IN 3 prep cash NN 6 pobj
    arcs $it a DT 7 det '$' '$' 7 nn 2 CD 6 number billion CD 4 num debt NN 2 dobj
    arcs $it about RB 4 quantmod '$' '$' 2 dobj 3 CD 4 number million CD 4 number
    arcs $it two CD 4 number million CD 5 num users NNS 2 dobj
    arcs $it '$' '$' 2 dobj 5 CD 3 num a DT 6 det share NN 3 npadvmod
    arcs $it 6 CD 4 num cats NNS 2 dobj a DT 6 det day NN 4 tmod now RB 2 advmod
    arcs $it 6 CD 4 num cats NNS 2 dobj a DT 6 det day NN 4 dep in IN 4 prep all NN 7 pobj
} >right.conllx
expect 'amounts' 0 python3 "$root/recipes/amounts.py" money got --only
cmp -s got.trees right.trees || complain "the trees differ: $(diff got.trees right.trees)"
cmp -s got.conllx right.conllx || complain "the arcs differ: $(diff got.conllx right.conllx)"
expect 'their trees and arcs agree' 0 "$lal" convert check got.trees --deps got.conllx
expect 'amounts under given arcs' 0 python3 "$root/recipes/amounts.py" money got --keep-arcs
prints 'got: 10 sentences, 1 trees changed'
cmp -s got.conllx money.conllx || complain 'arcs were changed'
printf 'It has $ 3 million .\n\nNo amount .\n' >raw.txt
expect 'a set of raw text' 0 env TREEBANK=ewt "$root/recipes/silver.sh" data "$root/models/en-small.lal" money.d raw.txt
grep -qF '(QP ($ $) (CD 3) (CD million))' money.d/amounts.trees || complain 'the amount is not bracketed'
[ "$(wc -l <money.d/amounts.trees)" -eq 1 ] || complain 'the set amounts should have one sentence'
grep -q "^--name ewt --train .*/amounts.trees" money.d/OPTIONS.txt || complain 'OPTIONS.txt lacks it'
expect 'all sets are whole' 0 "$root/recipes/silver.sh" --check money.d
expect 'a missing text' 1 "$root/recipes/silver.sh" data toy.lal none.d none.txt
says 'none.txt: no such file'
absent none.d

# ---- messages
sed 1d dev.trees >sets/childes.trees
expect 'a changed file' 1 "$root/recipes/silver.sh" --check sets
says 'sets/childes: the files are not those that were written'
expect 'no sets' 1 "$root/recipes/silver.sh" --check missing
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
expect 'one argument' 2 "$root/recipes/silver.sh" data
says 'recipes/silver.sh DATA MODEL [OUT [TEXT...]]'
finish
