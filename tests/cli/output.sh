#!/bin/sh
# output.sh BUILD-FOLDER: output of the program: every command with full and closed standard streams, links, devices,
# file size limits, and files after signals.
. "$(dirname "$0")/harness.sh"
make_toy
echo '(S (A b))' >small
tiny="$tiny --epochs 1"
export LAL_MODEL=toy.lal

# ---- standard output that cannot be written
while read -r command; do
    expect "lal $command, on a full disk" 1 sh -c "\"$lal\" $command >/dev/full"
    says 'cannot write: '
    expect "lal $command, with standard output closed" 1 sh -c "\"$lal\" $command >&-"
    says 'cannot write: '
done <<END
version
--version
--help
help
help train
help manual
parse --help
parse text
parse --format json --why text
tokenize text
eval --gold dev.trees --gold-deps dev.conllx
eval --gold dev.trees --pred dev.trees
evalb dev.trees dev.trees
convert dev.trees
convert check dev.trees --deps dev.conllx
convert stats dev.trees
inspect --input brackets dev.trees
inspect heads --gold dev.trees --gr next --most 3
convert draw dev.trees
model info
help model
model prune --help
bench --text text --seconds 0.01 --threads 1 --only parse-shipped
bench --text text --seconds 0.01 --only load
bench --seconds 0.01 --only sgemm
END
expect 'evalb, on a full disk' 1 sh -c "\"$build/evalb\" dev.trees dev.trees >/dev/full"
says 'cannot write: No space left on device'
expect 'output to a file, with standard output closed' 0 sh -c "\"$lal\" parse --out trees text >&-"
"$lal" parse text | cmp - trees || complain 'the file is not the output'

# ---- an opened file must not become a standard stream
heads="inspect heads --gold dev.trees --gr next --most 3 --format tsv"
"$lal" $heads --out plain 2>/dev/null
expect 'standard error closed' 0 sh -c "\"$lal\" $heads --out table 2>&-"
cmp plain table || complain 'messages went into the output'
expect 'all standard streams closed' 0 sh -c "\"$lal\" $heads --out table <&- >&- 2>&-"
cmp plain table || complain 'the output has other text'
expect 'standard input closed' 1 sh -c "\"$lal\" tokenize - <&-"
says 'cannot read: Bad file descriptor'

# ---- targets of --out
name='a link as output'
ln -s trees link; cp small trees
"$lal" parse --out link text || complain 'the run failed'
[ -L link ] && "$lal" parse text | cmp - trees || complain 'the link should stay and its target hold the output'
name='/dev/stdout as output'
echo head >appended
"$lal" convert --out /dev/stdout small >>appended || complain 'the run failed'
[ "$(head -n 1 appended)" = head ] && [ "$(wc -l <appended)" -eq 2 ] || complain 'the output should be appended'
name='/dev/null as output'
"$lal" convert --out /dev/null small && [ -c /dev/null ] || complain 'it should still be a device'
name='permissions'
chmod 600 trees; "$lal" parse --out trees text
[ "$(stat -c %a trees)" = 600 ] || complain 'the permissions changed'
deep=$work
for i in 1 2 3 4 5 6; do deep=$deep/$(printf '%0100d' $i); done
mkdir -p "$deep"
expect 'long paths' 0 "$lal" inspect --input brackets --html "$deep/site" small
[ -s "$deep/site/data/1.js" ] || complain 'the page is missing'
expect 'a long path of a model' 0 "$lal" train --train dev.trees $tiny --out "$deep/m.lal"
[ -s "$deep/m.lal.ckpt" ] || complain 'the checkpoint is missing'
expect 'a long path in LAL_MODEL' 0 env LAL_MODEL="$deep/m.lal" "$lal" model info
grep -qF "$deep/m.lal" out || complain 'the path was cut'
expect 'a file larger than may be' 1 sh -c "ulimit -f 1; \"$lal\" convert --out limited dev.trees"
says 'limited: cannot write: File too large'
[ ! -e limited ] || complain 'an incomplete file was left'
no_leftovers

# ---- signals
# ended_by SIGNAL STATUS COMMAND...: sends SIGNAL to the command, which reads ./endless, when it has opened a temporary
# file. env --default-signal is needed because a shell ignores SIGINT and SIGQUIT for background commands.
mkfifo endless
exec 9<>endless
ended_by() {
    signal=$1 want=$2; shift 2
    name="$signal: lal $*" n=0
    checks=$((checks + 1))
    env --default-signal "$lal" "$@" >out 2>err </dev/null 9>&- &
    pid=$!
    while [ -z "$(find . -name '*.tmp*')" ] && [ $n -lt 400 ]; do sleep 0.05; n=$((n + 1)); done
    [ $n -lt 400 ] || complain 'no temporary file was seen'
    kill -s "$signal" $pid
    wait $pid
    status=$?
    [ $status -eq "$want" ] || { complain "exit status $status, expected $want"; cat err; }
    no_leftovers
}
echo old >kept
for end in 'TERM 143' 'INT 130' 'HUP 129' 'QUIT 131'; do
    ended_by $end parse --out kept endless
    ended_by $end convert --out kept endless
    ended_by $end inspect --format json --html site --out kept endless
done
[ "$(cat kept)" = old ] || complain 'the old file should be left as it was'
name='a signal that is ignored'
nohup "$lal" parse --out kept endless >out 2>err </dev/null 9>&- &
pid=$! n=0
while [ -z "$(find . -name '*.tmp*')" ] && [ $n -lt 400 ]; do sleep 0.05; n=$((n + 1)); done
kill -s HUP $pid; sleep 0.2
kill -0 $pid 2>/dev/null || complain 'it should continue after SIGHUP'
kill -s TERM $pid; wait $pid
no_leftovers

# ---- two processes with one target
# busy LOCK COMMAND...: starts the command, which goes on until it is killed, and waits until it has the lock.
busy() {
    lock=$1 n=0; shift
    name="lal $*"
    "$lal" "$@" >busy.out 2>busy.err </dev/null 9>&- &
    pid=$!
    while [ ! -s "$lock" ] && [ $n -lt 400 ]; do sleep 0.05; n=$((n + 1)); done
    [ $n -lt 400 ] || { complain "it did not lock $lock"; cat busy.err; }
}
# refused TARGET NAME COMMAND...: another command says who writes there.
refused() {
    target=$1; shift
    expect "$1" 1 "$lal" "$@"
    says "$target: found another process that writes here (process $pid on "
    says '), expected one at a time'
}
killed() { kill -s KILL $pid; wait $pid 2>/dev/null; [ -s "$lock" ] || complain "$lock should be left"; }
long="--train dev.trees --dev dev.trees $tiny --epochs 100000 --checkpoint state --log log --out"
busy one.lal.lal-lock train $long one.lal
refused one.lal train --train dev.trees $tiny --out one.lal
refused state train --train dev.trees $tiny --out two.lal --checkpoint state
refused log train --train dev.trees $tiny --out two.lal --log ./log
absent two.lal
killed
expect 'after the first one' 0 "$lal" train --train dev.trees $tiny --out one.lal --checkpoint state --log log
busy folds.lal-lock train --train dev.trees $tiny --epochs 100000 --folds 2 --fold-parses folds
refused folds train --train dev.trees $tiny --folds 2 --fold-parses folds
killed
rm folds.*
busy pages/.lal-lock inspect --html pages endless
refused pages inspect --html pages text
refused pages inspect heads --html pages --gold dev.trees -m toy.lal
killed
expect 'after the first pages' 0 "$lal" inspect -m toy.lal --html pages text
no_leftovers

# Training saves its state at the first signal and ends. No temporary file is left, whenever the signal arrives.
for wait in 0 0.1 0.2 0.4; do
    name="training, TERM after $wait s"
    checks=$((checks + 1))
    "$lal" train --train dev.trees --dev dev.trees $tiny --epochs 100000 --out long.lal >out 2>err </dev/null 9>&- &
    pid=$!
    sleep $wait; kill -s TERM $pid; wait $pid
    status=$?
    [ $status -eq 143 ] || { [ $status -eq 75 ] && grep -q 'continue with --resume' err; } ||
        { complain "exit status $status, expected 143 or a saved state"; cat err; }
    no_leftovers
done

finish
