#!/bin/sh
# unreadable.sh BUILD-FOLDER: bytes that are not UTF-8, and what else cannot be read: --invalid and --keep-going.
. "$(dirname "$0")/harness.sh"

mkdir folder
printf 'A caf\351 is open.\n\nNo\000thing.\n' >folder/bad.txt
printf 'It rains.\n' >folder/good.txt
printf 'A caf\357\277\275 is open.\n\nNo\357\277\275thing.\n' >replaced
printf 'A caf is open.\n\nNothing.\n' >skipped

for how in replace:replaced skip:skipped; do
    text=${how#*:} how=${how%:*}
    "$lal" tokenize "$text" >want
    expect "tokens, $how" 0 "$lal" tokenize --invalid "$how" folder/bad.txt
    cmp -s out want || complain 'other tokens'
    says 'folder/bad.txt:1:6: note: found bytes that are not UTF-8'
    says 'folder/bad.txt:3:3: note: found a NUL byte'
    says 'folder/bad.txt: note: found bytes that are not UTF-8 in 2 places, '
    expect "a pipe, $how" 0 sh -c "cat folder/bad.txt | \"$lal\" tokenize --invalid $how"
    cmp -s out want || complain 'other tokens'
    says '-:1:6: note: found bytes'
    gzip -c folder/bad.txt >bad.gz
    expect "compressed, $how" 0 "$lal" tokenize --invalid "$how" bad.gz
    cmp -s out want || complain 'other tokens'
    "$lal" parse --quiet -f json "$text" >want
    expect "a parse, $how" 0 "$lal" parse --quiet -f json --invalid "$how" folder/bad.txt
    cmp -s out want || complain 'another parse'
    [ ! -s err ] || complain 'notes are quiet'
done
expect 'it is an error' 1 "$lal" tokenize folder/bad.txt
says 'folder/bad.txt:1:6: found bytes that are not UTF-8'
expect 'a folder' 0 "$lal" parse --out-dir each --invalid replace folder
[ -s each/bad.trees ] && [ -s each/good.trees ] || complain 'each has an output'
expect 'a folder with an error' 1 "$lal" parse -f brackets folder
expect 'that goes on' 1 "$lal" parse --keep-going -f brackets missing.txt folder
says 'lal parse: missing.txt: cannot open'
says 'lal parse: folder/bad.txt:1:6: found bytes that are not UTF-8'
says '2 of 3 files could not be read'
prints '(PRP It)'
printf '(S (NN a\377) (NN b))\n' >bad.trees
expect 'words of a treebank' 0 "$lal" parse --input brackets --invalid skip bad.trees
prints ' a) ('
says 'bad.trees:1:9: note: found bytes'

{
    printf '# sent_id = a\n1\tDogs\t_\t_\tNNS\t_\t2\tx\t_\t_\n2\tbark\t_\t_\tVBP\t_\t0\troot\t_\tA=b\n\n'
    printf '# sent_id = b\n1\tDogs\t_\t_\tNNS\t_\t9\tx\t_\t_\n\n'
    printf '# sent_id = c\n1\tIt\t_\t_\tPRP\t_\t2\tx\t_\tSpaceAfter=No\n2\trains\t_\t_\tVBZ\t_\t0\troot\t_\t_\n\n'
} >rows.conllu
expect 'a sentence that cannot be read' 1 "$lal" parse --input conll -f conllu rows.conllu
says 'rows.conllu:6: found a head out of range'
expect 'is passed over' 1 "$lal" parse --keep-going --input conll -f conllu rows.conllu
says 'lal parse: rows.conllu:6: found a head out of range'
says '1 sentence could not be read'
prints '# sent_id = a'
prints '# sent_id = c'
prints '# text = Itrains'
! grep -q '# sent_id = b' out || complain 'it should be left out'
expect 'also from a pipe, into a file' 1 sh -c \
    "\"$lal\" parse --keep-going --input conll -f conllu -o kept <rows.conllu"
cmp -s out /dev/null && [ "$(grep -c sent_id kept)" -eq 2 ] || complain 'the file has all else'

finish
