#!/bin/sh
# evalb.sh BUILD-FOLDER: `evalb` and `lal evalb`: what the recorded runs (tests/golden/evalb/runs.tsv) do not show.
. "$(dirname "$0")/harness.sh"
make_toy

evalb=$build/evalb
expect 'lal evalb' 0 "$lal" evalb dev.trees dev.trees
prints 'Complete match            = 100.00'
{ printf '(TOP'; for _ in $(seq 300); do printf ' (NP (NN a) (NN b))'; done; printf ')\n'; } > wide
expect 'a sentence longer than EVALB can hold' 0 "$evalb" wide wide
says '1 : note: wide has 600 words, 301 brackets, 5706 bytes here, more than EVALB can hold'
prints '   1  600    0  100.00 100.00   301    301  301      0    600   600   100.00'
printf '(S (A b))\n(S (A a) (A a))\n(S (A a))\n' > errors; for _ in 1 2 3; do echo '(S (A a))'; done > three
expect 'a folder as trees' 1 "$evalb" . three
says '.: cannot read: Is a directory'
expect 'a folder as a parameter file' 1 "$evalb" -p . three three
says '.: cannot read: Is a directory'
word=$(head -c 3000 /dev/zero | tr '\0' w)
printf '(S (A %s))\n' "$word" > wordy
expect 'a long word in a message' 0 "$evalb" three wordy
says "1 : Words unmatch (a|$word)"
expect 'lal evalb: too many errors' 1 "$lal" evalb -e0 three errors
says '2 : Length unmatch (1|2)'
printf '# a comment\n\nLABELED 0\nDELETE_LABEL X\n' > prm
printf '(S (B (A a)))\n' > g; printf '(S (C (A a)))\n' > h
expect 'unlabelled' 0 "$evalb" -p prm g h
prints 'Bracketing FMeasure       = 100.00'
echo '(TOP (IP (NP (NN a) (NN b)) (PU ,) (VP (VV c))))' >chinese
echo '(TOP (IP (NP (NN a) (NN b) (PU ,)) (VP (VV c))))' >comma
expect 'punctuation of the Chinese Treebank' 0 "$evalb" -p "$root/models/evalb/ctb.prm" chinese comma
prints 'Bracketing FMeasure       = 100.00'
printf 'LABELED 1\nLABLED 0\nDEBUG\n' > prm
expect 'a wrong keyword in a parameter file' 0 "$evalb" -p prm g h
says 'Unknown keyword (LABLED 0) in parameter file'
says 'Empty value in parameter file (3)'
printf '#%s\nDELETE_LABEL %s\n' "$word" "$word" > prm
printf '(S (%s (A a)))\n' "$word" > longlabel
expect 'a parameter longer than EVALB can hold' 0 "$evalb" -d -p prm longlabel longlabel
prints '1    0  100.00 100.00     1      1    1'
expect 'a label without an end' 0 sh -c "printf '(S (A a)\n(S (A a) (NP \n' > cut; \"$evalb\" cut cut"
says '2 : More than two elements in a bracket'
expect 'too few files for lal evalb' 1 "$lal" evalb g
says 'lal evalb: found one file, expected a gold file and a test file'
expect 'no files for lal evalb' 1 "$lal" evalb
says 'lal evalb: found no files, expected a gold file and a test file'
says 'evalb [-dDh][-c n][-e n][-p param_file] gold-file test-file'
silent
expect 'a full disk under evalb' 1 sh -c "\"$evalb\" g h > /dev/full"
says 'cannot write: No space left on device'
expect 'a full disk under the messages of evalb' 1 sh -c "\"$evalb\" three errors 2> /dev/full"
expect 'a closed pipe under evalb' 1 sh -c \
    "{ sleep 1; \"$evalb\" -D dev.trees dev.trees; echo \$? > status; } | :; exit \$(cat status)"
says 'cannot write: Broken pipe'
expect 'no standard output under evalb' 1 sh -c "\"$evalb\" g h >&-"
says 'cannot write: Bad file descriptor'
# these would take hours if all pairs of brackets were compared
many=300000
copies() { head -c $(($1 * 3)) /dev/zero | sed "s/\x00\x00\x00/$2/g"; } # N TEXT
chain() { copies $many "($1 "; printf '(A a)'; copies $many ')'; echo; }
chain X > chain; chain Y > other
expect 'a deep chain of brackets' 0 "$evalb" chain chain
prints "100.00 100.00   $many    $many  $many      0      1     1   100.00"
expect 'a deep chain of other brackets' 0 "$evalb" chain other
prints "0.00   0.00     0    $many  $many      0      1     1   100.00"
{ copies $many '(X (A a) '; copies $many ')'; echo; } > right
{ copies $many '(X '; copies $many '(A a))'; echo; } > left
expect 'many crossing brackets' 0 "$evalb" right left
prints "0.00   0.00     1    $many  $many    $((many - 2))   $many  $many   100.00"

finish
