#!/bin/sh
# launch.sh BUILD-FOLDER: recipes/launch.py: several processes train one model: the same bits for any number of them,
# also after one was ended and the run resumed.
. "$(dirname "$0")/harness.sh"
make_toy || exit 1
launch=$root/recipes/launch.py
many="$data $tiny --subbatch-tokens 30 --lanes 4 --threads 1"
weights() { grep -o '"weights": "[0-9a-f]*"' "$1"; }

expect 'one process' 0 "$lal" train $many --threads 3 --log one.jsonl --out one.lal
[ "$(weights one.jsonl | sort -u | wc -l)" -eq 2 ] || complain 'the log lacks digests of the weights'
for n in 2 4; do
    expect "$n processes" 0 "$launch" $n "$lal" train $many --log $n.jsonl --out $n.lal
    weights one.jsonl >want
    weights $n.jsonl | cmp - want || complain "$n processes learn something else"
    [ "$(grep -c ' best$' err)" -eq "$(grep -c '"best": true' $n.jsonl)" ] || complain 'only rank 0 should report'
    for model in one $n; do
        "$lal" parse --quiet -m $model.lal --format soft --input brackets dev.trees >$model.soft
    done
    cmp one.soft $n.soft || complain "the model of $n processes parses otherwise"
done
expect 'one lane' 0 "$lal" train $many --lanes 1 --log lane.jsonl --out lane.lal
[ "$(weights lane.jsonl)" != "$(weights one.jsonl)" ] || complain 'lanes should change the order of sums'

# A rank is killed, or all are stopped; the run goes on with another number of processes.
long="$many --epochs 10 --checkpoint-every 0.0001" # the state is written within an epoch, too
"$lal" train $long --log long.jsonl --out long.lal >/dev/null 2>&1
start() {
    rm -f $1.jsonl $1.lal $1.lal.ckpt
    "$launch" 2 "$lal" train $long --log $1.jsonl --out $1.lal >out 2>err &
    pid=$!
    while [ ! -e $1.lal.ckpt ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
}
goes_on() { # NAME PROCESSES
    expect "$1, resumed by $2 processes" 0 "$launch" "$2" "$lal" train --resume $1.lal.ckpt \
        --log $1-$2.jsonl --out $1-$2.lal --checkpoint $1-$2.ckpt -q
    weights $1-$2.jsonl | tail -n 1 >found
    weights long.jsonl | tail -n 1 | cmp - found || complain "$1: other weights after it was resumed by $2 processes"
}
start killed
rank=$(pgrep -n -P $pid)
kill -9 "$rank"
wait $pid
status=$?
[ $status -eq 137 ] || [ $status -eq 1 ] || complain "a killed rank: exit status $status"
grep -q 'was ended by signal 9' err || complain 'it should say which rank was ended'
goes_on killed 1
goes_on killed 4
start stopped
kill -TERM $pid
wait $pid
status=$?
[ $status -eq 75 ] || complain "stopped: exit status $status, expected 75"
goes_on stopped 2

expect 'too few lanes' 2 "$launch" 4 "$lal" train $many --lanes 2 --out no.lal
says '--lanes: found 2 and 4 processes, expected at least as many lanes'
expect 'no power of two' 2 "$launch" 3 "$lal" train $many --out no.lal
says 'found 3 processes, expected a power of two'
expect 'lanes that are no power of two' 2 "$lal" train $many --lanes 3 --out no.lal
says '--lanes: found 3, expected a power of two'
expect 'other options' 1 "$launch" 2 sh -c 'exec "$0" train "$@" --seed 7$RANK' "$lal" $many --out no.lal
says 'found other options or data on rank 1 than on rank 0, expected the same'
expect 'a rank that does not come' 1 env RANK=0 WORLD_SIZE=2 MASTER_PORT=29871 "$lal" train $many --group-timeout 0.2 \
    --out no.lal
says 'rank 0 of 2 waited for the others in vain'

# The port is in use, here by rank 0 of another run, which waits: nobody waits for its own time to be over.
RANK=0 WORLD_SIZE=2 MASTER_PORT=29873 "$lal" train $many --group-timeout 60 --log other.jsonl --out other.lal \
    2>waits &
other=$!
while ! MASTER_PORT=29873 RANK=1 WORLD_SIZE=4 "$lal" train $many --group-timeout 0.2 --out no.lal 2>err; do
    grep -q 'found no rank 0 there' err || break
done
says '127.0.0.1:29873: rank 0 refused rank 1: found rank 1 of 4 with numbers of 4 bytes, expected 2 with 4'
expect 'a port that is in use' 1 "$launch" 2 sh -c 'MASTER_PORT=29873 exec "$0" train "$@"' "$lal" $many \
    --out no.lal
says '127.0.0.1:29873: rank 0 ' # cannot listen, or refuses rank 1, whichever is first
expect 'rank 0 of a run whose port is in use' 1 env RANK=0 WORLD_SIZE=2 MASTER_PORT=29873 "$lal" train $many \
    --out no.lal
says '127.0.0.1:29873: rank 0 cannot listen: Address already in use'
expect 'a rank of a run whose port is in use' 1 env RANK=1 WORLD_SIZE=2 MASTER_PORT=29873 TORCHELASTIC_RUN_ID=mine \
    "$lal" train $many --out no.lal
says "127.0.0.1:29873: rank 0 refused rank 1: found the run 'mine', expected ''"
expect 'rank 1 of the run that has it' 0 env RANK=1 WORLD_SIZE=2 MASTER_PORT=29873 "$lal" train $many \
    --log other.jsonl --out other.lal
wait $other || { complain 'rank 0 should have gone on'; cat waits; }
weights other.jsonl | cmp - want || complain 'the others should not have changed what it learns'

expect 'no command' 2 "$launch" 2
says 'usage: launch.py N COMMAND...'
expect 'no such command' 127 "$launch" 2 ./none
says './none: No such file or directory'
absent no.lal
finish
