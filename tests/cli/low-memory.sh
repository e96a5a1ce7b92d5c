#!/bin/sh
# low-memory.sh BUILD-FOLDER: runs every command with several limits of address space (ulimit -v). Each run must end
# with its result or with a message about memory, never with a signal or by the time limit. Of a text of which one
# sentence needs too much, all sentences are written.
case $1 in *address* | *thread* | *memory*) echo "not run: sanitizers need terabytes of memory"; exit 0 ;; esac
. "$(dirname "$0")/harness.sh"
make_toy
data="--train dev.trees --train-deps dev.conllx --dev dev.trees --dev-deps dev.conllx"
tiny="$tiny --epochs 1"
runs=0 done=0

# with MB COMMAND...: the exit status must be 0, or not 0 with a message about memory by the program or the loader
with() {
    mb=$1; shift
    runs=$((runs + 1))
    (ulimit -v "${mb}000"; exec timeout 30 "$@") >out 2>err </dev/null
    status=$?
    case $status in
    0) done=$((done + 1)); return ;;
    1 | 127) grep -q -e 'out of memory' -e 'failed to map segment' -e 'Cannot allocate memory' err && return ;;
    esac
    echo "ulimit -v ${mb}000: $* ended with status $status, expected a result or a message about memory"
    cat err
    failed=$((failed + 1))
}

for mb in 20 40 60 80 100 130 160 200 260 320 400 500 700 1000; do
    with $mb "$lal" parse --model toy.lal --threads 2 text
    with $mb "$lal" parse --model toy.lal --threads 2 --why --format json --out parsed text
    with $mb "$lal" tokenize text
    with $mb "$lal" train $data $tiny --out new.lal --threads 2
    with $mb "$lal" eval --model toy.lal --gold dev.trees --gold-deps dev.conllx --threads 2
    with $mb "$lal" eval --gold dev.trees --pred dev.trees
    with $mb "$lal" evalb dev.trees dev.trees
    with $mb "$build/evalb" dev.trees dev.trees
    with $mb "$lal" convert --to conllx --deps english.rules dev.trees
    with $mb "$lal" convert check dev.trees --deps dev.conllx
    with $mb "$lal" convert stats dev.trees --deps dev.conllx
    with $mb "$lal" inspect --model toy.lal --input brackets --html site --threads 2 dev.trees
    with $mb "$lal" inspect heads --model toy.lal --gold dev.trees --gr next --most 3
    with $mb "$lal" convert draw dev.trees
    with $mb "$lal" model info --model toy.lal
    with $mb "$lal" bench --model toy.lal --text text --seconds 0.01 --threads 2 --only parse-shipped
    with $mb "$lal" bench --seconds 0.01 --only sgemm
    with $mb "$lal" help train
    with $mb "$lal" version
done
with 30 "$lal" bench --seconds 0.01 --only decode

# ---- a sentence whose chart does not fit has a flat tree, and the others have theirs
awk 'BEGIN { print "a b ."; while (n++ < 12000) printf "a "; print ""; print "a b ." }' >three
(ulimit -v 1000000; exec "$lal" parse --model toy.lal --threads 1 --max-words 100000 --max-memory 1e13 --pretokenized \
    three) >out 2>err </dev/null
status=$?
if [ $status -ne 1 ] || [ "$(sed -n 1p out)" != "$(sed -n 3p out)" ] ||
    ! sed -n 2p out | grep -q '^(TOP (FRAG (XX a)' ||
    ! grep -q '^three:2: note: a sentence of 12000 words was not parsed, its tree is flat: out of memory' err ||
    ! grep -q '^lal parse: 1 of 3 sentences could not be parsed' err; then
    echo "one sentence too long for memory: status $status"
    cat err
    failed=$((failed + 1))
fi
for f in *.tmp*; do [ -e "$f" ] && { echo "$f was not removed"; failed=$((failed + 1)); }; done
[ $done -ge $((runs / 2)) ] || { echo "$done of $runs runs gave a result, expected half"; failed=$((failed + 1)); }
echo "$runs runs, $done results, $failed complaints"
[ $failed -eq 0 ]
