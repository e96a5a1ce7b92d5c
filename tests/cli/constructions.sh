#!/bin/sh
# constructions.sh BUILD-FOLDER: recipes/conventions.py, each rule with trees before and after, and
# recipes/constructions.py: sentences of all constructions out of the phrases of a few trees.
. "$(dirname "$0")/harness.sh"

# ---- conventions: each pair of lines is a tree and what becomes of it.
cat >pairs <<'END'
(TOP (S (ADVP (UH Well)) (, ,) (UH er) (UH oh) (NP (PRP it)) (VP (VBD rained)) (. .)))
(TOP (S (INTJ (UH Well)) (, ,) (INTJ (UH er) (UH oh)) (NP (PRP it)) (VP (VBD rained)) (. .)))
(TOP (S (RB Then) (NP (PRP it)) (VP (VBD did) (RB not) (VP (VB rain))) (. .)))
(TOP (S (ADVP (RB Then)) (NP (PRP it)) (VP (VBD did) (RB not) (VP (VB rain))) (. .)))
(TOP (S (S (NP (PRP It)) (VP (VBD rained))) (RB so) (S (NP (PRP we)) (VP (VBD left))) (. .)))
(TOP (S (S (NP (PRP It)) (VP (VBD rained))) (RB so) (S (NP (PRP we)) (VP (VBD left))) (. .)))
(TOP (S (NP (PRP We)) (VP (VBD came) (ADVP (RP in)) (PRT (RB back))) (. .)))
(TOP (S (NP (PRP We)) (VP (VBD came) (PRT (RP in)) (ADVP (RB back))) (. .)))
(TOP (S ('' ") (NP (PRP We)) ('' ") (VP (VBD left) ('' ") (NP (NNP Rome))) (. .) ('' ")))
(TOP (S (`` ") (NP (PRP We)) ('' ") (VP (VBD left) (`` ") (NP (NNP Rome))) (. .) ('' ")))
(TOP (S (NP (PRP We)) (VP (VBD left) (NP (`` ") (NNP Rome) (`` "))) (. .) (`` ")))
(TOP (S (NP (PRP We)) (VP (VBD left) (NP ('' ") (NNP Rome) (`` "))) (. .) ('' ")))
(TOP (S (NP (NP (DT A) (NN bar)) (NP (-LRB- -LRB-) (NNP BB) (-RRB- -RRB-))) (VP (VBD fell)) (. .)))
(TOP (S (NP (NP (DT A) (NN bar)) (PRN (-LRB- -LRB-) (NP (NNP BB)) (-RRB- -RRB-))) (VP (VBD fell)) (. .)))
(TOP (S (NP (PRP We)) (VP (VBD left) (-LRB- -LRB-) (ADVP (RB early)) (-RRB- -RRB-)) (. .)))
(TOP (S (NP (PRP We)) (VP (VBD left) (PRN (-LRB- -LRB-) (ADVP (RB early)) (-RRB- -RRB-))) (. .)))
(TOP (S (NP (PRP It)) (, ,) (PRN (S (NP (PRP I)) (VP (VBP think)))) (, ,) (VP (VBD rained))))
(TOP (S (NP (PRP It)) (PRN (, ,) (S (NP (PRP I)) (VP (VBP think))) (, ,)) (VP (VBD rained))))
(TOP (S (S (NP (PRP You)) (VP (VBP know))) (, ,) (NP (PRP it)) (VP (VBD rained))))
(TOP (S (PRN (S (NP (PRP You)) (VP (VBP know)))) (, ,) (NP (PRP it)) (VP (VBD rained))))
(TOP (NP (LS 2.) (NN Rain)))
(TOP (NP (LST (LS 2.)) (NN Rain)))
(TOP (S (NP (PRP It)) (VP (VBZ is) (ADJP (JJR older) (PP (IN than) (NP (PRP me))))) (. .)))
(TOP (S (NP (PRP It)) (VP (VBZ is) (ADJP (ADJP (JJR older)) (PP (IN than) (NP (PRP me))))) (. .)))
(TOP (S (NP (PRP We)) (VP (VBD saw) (NP (RB about) (CD ten) (NNS dogs))) (. .)))
(TOP (S (NP (PRP We)) (VP (VBD saw) (NP (QP (RB about) (CD ten)) (NNS dogs))) (. .)))
(TOP (NP (DT a) (NX (JJ old) (NN dog)) (CC or) (NX (JJ red) (NN cat))))
(TOP (NP (DT a) (NX (NX (JJ old) (NN dog)) (CC or) (NX (JJ red) (NN cat)))))
(TOP (FRAG (VB See) (ADVP (RB here)) (. .)))
(TOP (S (VP (VB See) (ADVP (RB here))) (. .)))
(TOP (S (ADVP (RB Never)) (VBD had) (NP (PRP it)) (VP (VBN rained)) (. .)))
(TOP (SINV (ADVP (RB Never)) (VBD had) (NP (PRP it)) (VP (VBN rained)) (. .)))
(TOP (S (S (VBD Had) (NP (PRP it)) (VP (VBN rained))) (, ,) (NP (PRP we)) (VP (MD would) (VP (VB go)))))
(TOP (S (SBAR (SINV (VBD Had) (NP (PRP it)) (VP (VBN rained)))) (, ,) (NP (PRP we)) (VP (MD would) (VP (VB go)))))
(TOP (S (NP (NP (NNP Ann)) (, ,) (NP (DT a) (NN nurse))) (, ,) (VP (VBD left)) (. .)))
(TOP (S (NP (NP (NNP Ann)) (, ,) (NP (DT a) (NN nurse)) (, ,)) (VP (VBD left)) (. .)))
END
sed -n 'p;n' pairs >before.trees
sed -n 'n;p' pairs >want
"$lal" convert --to conllx --deps english.rules --out before.conllx before.trees
expect 'conventions' 0 python3 "$root/recipes/conventions.py" before after
prints 'after: 18 sentences, 17 trees changed'
cmp want after.trees || { complain 'other trees'; diff want after.trees; }
expect 'trees and arcs' 0 "$lal" convert check after.trees --deps after.conllx
expect 'again' 0 python3 "$root/recipes/conventions.py" after again
prints 'again: 18 sentences, 0 trees changed'
cmp after.conllx again.conllx || complain 'other arcs the second time'
expect 'counts' 0 python3 "$root/recipes/conventions.py" before --counts
awk '$1 != "trees" && $2 == 0' out | grep . && complain 'a rule has no example'
expect 'no output' 1 python3 "$root/recipes/conventions.py" before
says 'usage: conventions.py'

# ---- constructions
cp "$root/tests/cli/phrases.trees" small.trees
make() { out=$1; shift; expect "$out" 0 python3 "$root/recipes/constructions.py" "$@" small.trees; mv out "$out"; }
make one --each 3
count=$(wc -l <err)
[ "$count" -ge 60 ] || complain "$count constructions"
grep -v ': 3 sentences$' err && complain 'a construction has fewer sentences'
[ "$(wc -l <one)" -eq $((3 * count)) ] || complain 'other lines than sentences'
make two --each 3
cmp one two || complain 'equal arguments make other sentences'
make other --each 3 --seed 2
! cmp -s one other || complain 'the seed has no effect'
"$lal" convert --to conllx --deps english.rules --out one.conllx one
expect 'a check' 0 "$lal" convert check one --deps one.conllx
grep -E 'FW|\{|\}' one && complain 'odd words, or a slot, in sentences'
sed -E 's/\(INTJ( \((UH|, ,|\.|JJ|NN)[^()]*\))+\)//g' one | grep UH && complain 'an interjection in a phrase'
make rest --each 1 --without gapping,nx
[ "$(wc -l <rest)" -eq $((count - 2)) ] || complain 'not all but two constructions'
make gaps --only gapping,nx --each 5
[ "$(wc -l <gaps)" -eq 10 ] || complain 'not two constructions of five sentences'
make others --only gapping,nx --each 5 --not gaps
sort gaps others | uniq -d | grep . && complain 'an excluded sentence was made'
expect 'an unknown construction' 1 python3 "$root/recipes/constructions.py" --only poem small.trees
says 'no construction poem; there are quotative-inversion,'
echo '(TOP (NP (NN Rain)))' >tiny.trees
expect 'too little' 1 python3 "$root/recipes/constructions.py" --only instruction,long-distance-question tiny.trees
says 'long-distance-question: found no phrases for it in tiny.trees, none for {'
echo '(TOP (S (NN a))' >broken
expect 'a broken tree' 1 python3 "$root/recipes/constructions.py" broken
says 'broken: found 3 opening and 2 closing brackets'
expect 'no such file' 1 python3 "$root/recipes/conventions.py" none --counts
says 'none.trees: No such file or directory'
finish
