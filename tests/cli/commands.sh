#!/bin/sh
# commands.sh BUILD-FOLDER: help, `lal model info`, `lal tokenize`, the shipped model, unknown commands and options.
. "$(dirname "$0")/harness.sh"
make_toy

expect 'nothing' 2 "$lal"
says 'usage: lal COMMAND'
expect 'the commands' 0 "$lal" help
awk 'length > 80 { exit 1 }' out && [ "$(wc -l <out)" -le 26 ] || complain 'the list should fit on one screen'
all_commands >commands
while read -r c; do
    expect "help $c fits on a screen" 0 "$lal" help $c
    awk '!/^  --/ && length > 90 { exit 1 }' out || complain 'lines are too long'
    grep -q TEXT out && complain 'values should have names'
    cp out help
    expect "$c --help" 0 "$lal" $c --help
    cmp -s out help || complain 'it should be the same'
done <commands
[ "$(wc -l <commands)" -ge 20 ] || complain 'commands are missing'
expect 'a group of commands' 2 "$lal" model
says 'lal model: found no command, expected one (info, import, prune, quantize, calibrate)'
says 'lal help model shows its options'
expect 'an unknown command of a group' 2 "$lal" model prnue
says "unknown command 'prnue'; did you mean 'model prune'?"
expect 'help on it' 2 "$lal" help model prnue
says "unknown command 'prnue' (lal help lists the commands); did you mean 'model prune'?"
for c in info import prune quantize; do
    expect "lal $c" 2 "$lal" $c
    says "unknown command '$c' (lal help lists the commands); did you mean 'model $c'?"
done
expect 'lal draw' 2 "$lal" draw dev.trees
says "did you mean 'convert draw'?"
expect 'the options of evalb' 0 "$lal" help evalb
prints '  -p FILE'
expect 'the manual page' 0 "$lal" help manual
prints '\fB--train-deps\fR \fIFILE\fR'
prints '  -p FILE'
for v in $(sed -n 's/.*\(getenv\|variable\)("\([A-Z_]*\)").*/\2/p' "$root"/program/*.c); do
    case $v in LC_* | LANG | TERM) ;; *) prints ".B $v" ;; esac # these are not the program's own
done
expect 'an unknown command' 2 "$lal" prase
says "unknown command 'prase'"
expect 'an unknown option' 2 "$lal" parse --modle toy.lal
says "unknown option '--modle'"
for c in parse tokenize train eval 'model info' bench; do
    expect "help $c" 0 "$lal" help $c
    prints "usage: lal $c"
    prints '(default'
done
expect 'the version' 0 "$lal" --version
expect 'help on train with a preset' 0 "$lal" train --preset paper --help
prints 'with the defaults of preset paper'
expect 'info' 0 "$lal" model info --format json -m toy.lal
prints '"labels": ["<H>"'
expect 'tokens' 0 "$lal" tokenize text
lines 3
prints 'It never ( really ) sees the river !'
printf 'We  met\tAnn\r\nin the city,  at 5pm.' >blanks
expect 'white space of other kinds' 0 "$lal" tokenize --newline space blanks
[ "$(cat out)" = 'We met Ann in the city , at 5 pm .' ] || complain 'tokens should have one blank between them'
printf 'We met on Monday in the city of New\nYork. It was a day on which\nwe talked.\n' >lines
# Bench parsed $1 words for each $2 sentences.
ratio() {
    sed -E 's/.*"words": ([0-9]+), "sentences": ([0-9]+).*/\1 \2/' out | awk "{ exit !(\$1 * $2 == \$2 * $1) }" ||
        { complain "words and sentences are not as $1 to $2"; cat out; }
}
for c in auto:2 sentence:4 paragraph:4 space:2; do
    expect "--newline ${c%:*}" 0 "$lal" tokenize --newline "${c%:*}" lines
    lines "${c#*:}"
    expect "parse --newline ${c%:*}" 0 "$lal" parse --model toy.lal --newline "${c%:*}" lines
    lines "${c#*:}"
    expect "inspect --newline ${c%:*}" 0 "$lal" inspect --model toy.lal --newline "${c%:*}" lines
    lines "${c#*:}"
    expect "bench --newline ${c%:*}" 0 "$lal" bench --model toy.lal --only parse-shipped --threads 1 --seconds 0.01 \
        --newline "${c%:*}" --text lines
    ratio 20 "${c#*:}"
done
printf -- '- It *never* sees the **king**.\n' >marked
# raw_text OPTION VALUE FILE WORDS: parse, inspect and bench with --OPTION VALUE find WORDS words in FILE.
raw_text() {
    expect "parse --$1 $2" 0 "$lal" parse --model toy.lal --format conllx "--$1" "$2" "$3"
    lines $(($4 + 1))
    expect "inspect --$1 $2" 0 "$lal" inspect --model toy.lal --what arcs "--$1" "$2" "$3"
    python3 -c 'import json, sys; print(sum(len(json.loads(x)["decisions"]) for x in open("out")))' | grep -qx "$4" ||
        complain 'an arc for each word'
    expect "bench --$1 $2" 0 "$lal" bench --model toy.lal --only parse-shipped --threads 1 --seconds 0.01 \
        "--$1" "$2" --text "$3"
    ratio "$4" 1
}
for c in auto:9 none:11 markdown:6; do
    expect "tokenize --markup ${c%:*}" 0 "$lal" tokenize --markup "${c%:*}" marked
    [ "$(wc -w <out)" -eq "${c#*:}" ] || { complain "expected ${c#*:} tokens"; cat out; }
    raw_text markup "${c%:*}" marked "${c#*:}"
done
printf 'A well-known, long-term plan.\n' >hyphens
for c in model:6 split:10 keep:6; do raw_text hyphens "${c%:*}" hyphens "${c#*:}"; done
for c in parse inspect bench; do
    expect "raw text of $c" 0 "$lal" help $c
    prints '--newline auto|sentence|paragraph|space'
    prints '--markup auto|none|markdown|html|srt|latex'
    prints '--hyphens model|split|keep'
done
expect '--newline of another kind' 2 "$lal" tokenize --newline never lines
says 'auto|sentence|paragraph|space'
expect 'tokens in a file' 0 "$lal" tokenize -o tokens.out lines
silent
"$lal" tokenize lines | cmp -s - tokens.out || complain 'the file should hold the tokens'
expect 'the shipped model' 0 "$lal" parse "$root/examples/news.txt"
[ "$(grep -c '^(TOP (' out)" -ge 3 ] || complain 'the shipped model gave too few trees'
expect 'the shipped model by its name' 0 "$lal" model info -m small
prints 'models/en-small.lal'
mkdir base large # a name is a name even if there is a folder
for model in base large; do
    expect "the model $model" 0 "$lal" parse --model $model "$root/examples/news.txt"
    [ "$(grep -c '^(TOP (' out)" -ge 3 ] || complain 'it gave too few trees'
done
expect 'what base has' 0 "$lal" model info -m base
prints 'pretrained  bert, 4 layers of width 384'
expect 'what large has' 0 "$lal" model info -m large
prints 'pretrained  mpnet, 8 layers of width 768'
rmdir base large
expect 'the names of shipped models' 0 "$lal" model info
prints 'small (English, fast; '
prints '            base (English, '
[ "$(wc -l <out)" -le 36 ] || complain 'it should fit on a screen'
expect 'another model' 0 env LAL_MODEL="$work/toy.lal" "$lal" model info
prints 'toy.lal'
expect 'a shipped model in the environment' 0 env LAL_MODEL=small "$lal" model info
prints 'models/en-small.lal'
expect 'an option instead of the environment' 0 env LAL_MODEL=none.lal "$lal" model info --model small
prints 'models/en-small.lal'
cp toy.lal small
expect 'a file that has the name of a shipped model' 0 "$lal" model info -m ./small
prints 'model       ./small'
rm small
printf 'Good trees. Two.\n\nGood.\n\nBad \377 byte.\n\nNever read.\n' > partly
expect 'output before an error' 1 "$lal" tokenize partly
says 'partly:5:5: found bytes that are not UTF-8'
lines 3
i=0
while [ $i -lt 40000 ]; do
    echo "Line $i has a few words. It is short, too, and it goes"
    i=$((i + 1))
done > paragraph
expect 'a paragraph of more than a MiB' 0 "$lal" tokenize --format json paragraph
says 'paragraph:1: note: a paragraph of more than 1 MiB is read in pieces'
[ "$(grep -c '"paragraph": true' out)" -eq 1 ] || complain 'it should be one paragraph'
head -n 10000 paragraph > part; tail -n 1 out > last; head -n 5000 out > first
expect 'a part of it' 0 "$lal" tokenize --format json part
head -n 5000 out | cmp -s - first || complain 'its sentences differ'
grep -q '"line": 40000, ' last || complain 'the last sentence should be in the last line'

finish
