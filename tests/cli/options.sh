#!/bin/sh
# options.sh BUILD-FOLDER: names of one letter, help and version anywhere, suggestions, defaults of presets.
. "$(dirname "$0")/harness.sh"
make_toy
export LAL_MODEL=toy.lal

# ---- names of one letter
"$lal" parse --model toy.lal --format conllu --threads 1 text >long
expect 'letters, with values after them' 0 "$lal" parse -m toy.lal -f conllu -j 1 text
cmp -s long out || complain 'the output should be that of the long names'
expect 'letters, with values attached' 0 "$lal" parse -mtoy.lal -fconllu -j1 -owritten text
cmp -s long written || complain 'the output should be that of the long names'
expect 'a value attached to a long name' 0 "$lal" parse --model=toy.lal --format=conllu --threads=1 text
cmp -s long out || complain 'the output should be that of the other spelling'
for c in parse inspect eval; do
    expect "the letters are shown: $c" 0 "$lal" help $c
    prints '  -m, --model MODEL'
    prints '  -f, --format '
    prints '  -j, --threads N'
done
expect 'the letter of --out' 0 "$lal" help train
prints '  -o, --out FILE'
expect 'a long name after one dash' 2 "$lal" parse -out x text
says "unknown option '-out'; did you mean '--out'?"
absent ut
expect 'a letter that means nothing' 2 "$lal" parse -x text
says "unknown option '-x'"
expect 'a letter without its value' 2 "$lal" parse text -f
says '-f: found no value, expected one'

# ---- help and the version, anywhere
"$lal" help parse >help
while read -r arguments; do
    expect "lal $arguments" 0 "$lal" $arguments
    cmp -s help out || complain 'it should be the help of parse'
done <<END
parse -h
parse --help
--help parse
-h parse
parse text --format conllu -h
parse --nonsense --format xml --help
parse nowhere.txt -h
END
expect 'help of inspect heads' 0 "$lal" inspect heads --gold x --help
prints 'usage: lal inspect heads '
expect 'help as the name of a file' 1 "$lal" parse -- -h
says '-h: cannot open'
expect 'help on a command that does not exist' 2 "$lal" prase --help
says "unknown command 'prase'"
expect 'help of evalb' 0 "$lal" evalb -h
prints '-p FILE'
for a in --version -V version 'parse -V' 'parse text --version'; do
    expect "lal $a" 0 "$lal" $a
    grep -qE '^lal [0-9]+\.[0-9]+\.[0-9]+$' out || complain 'the first line should be the version'
    grep -qE '^numbers: (float|double)$' out || complain 'the number type is missing'
    prints 'BLAS: libopenblas'
    prints 'CUDA: '
done

# ---- suggestions
suggests() {
    meant=$1; shift
    expect "lal $*" 2 "$lal" "$@"
    says "; did you mean '$meant'?"
}
suggests parse prase text
suggests parse pars text
suggests train help trian
suggests --format parse --formt json text
suggests --treebank eval --tree-bank toy
suggests --no-why parse --no-wy text
suggests --d-model train --d-modle 3
suggests json parse -f jsno text
suggests conllx convert --to conlx dev.trees
suggests small train --preset smal --train train.trees
suggests toy parse --treebank tyo text
suggests toy eval --treebank tyo --gold dev.trees
suggests toy inspect --treebank tyo text
suggests toy inspect heads --treebank tyo --gold dev.trees
expect 'nothing is near' 2 "$lal" frobnicate
grep -q 'did you mean' err && complain 'it should suggest nothing'
echo '{"train": {"epcohs": 3}}' >typo.json
expect 'a key of a preset' 1 "$lal" train --preset typo.json --train train.trees
says "unknown configuration key \"epcohs\"; did you mean 'epochs'?"
expect 'an option before the command' 2 "$lal" --device cpu parse text
says "found '--device', expected a command"
grep -q 'did you mean' err && complain 'it should suggest nothing'
for typed in --versoin:--version --hlep:--help -version:--version --prase:parse; do
    expect "${typed%:*} without a command" 2 "$lal" "${typed%:*}"
    says "found '${typed%:*}', expected a command (lal help lists them); did you mean '${typed#*:}'?"
done
expect 'two commands to help' 2 "$lal" help parse train
says "found 'train', expected one command"

# ---- the defaults of a preset
value() { awk -v name="  --$1" '$0 ~ "^" name "( |$)" { found = 1; next }
    found && /^  -/ { exit } found { printf "%s ", $0 }' out | sed -n 's/.*(default *\([^)]*\)).*/\1/p'; }
expect 'help of train' 0 "$lal" help train
[ "$(value d-model)" = 320 ] && [ "$(value epochs)" = 30 ] && [ "$(value schedule)" = cosine ] ||
    complain 'it should show the defaults of the preset small'
prints 'with the defaults of preset small'
expect 'help of train, another preset' 0 "$lal" help train --preset paper
[ "$(value d-model)" = 1024 ] && [ "$(value epochs)" = 150 ] && [ "$(value schedule)" = plateau ] ||
    complain 'it should show the defaults of the preset paper'
cp out paper
expect 'help of train, with the preset on its command line' 0 "$lal" train --preset paper --train x --help
cmp -s paper out || complain 'it should show the defaults of the preset paper'
echo '{"train": {"epochs": 3, "lr": 0.00025}, "model": {"use_words": false}}' >mine.json
expect 'help of train, a preset of the user' 0 "$lal" help train --preset mine.json
[ "$(value epochs)" = 3 ] && [ "$(value lr)" = 0.00025 ] || complain 'it should show the defaults of the preset'
prints '  --use-words'
expect 'help of train, a preset over another one' 0 "$lal" help train --preset guided
[ "$(value d-model)" = 320 ] && [ "$(value epochs)" = 30 ] || complain 'it should show the defaults of the other preset'
echo '{"preset": "paper", "train": {"epochs": 3}}' >over.json
expect 'help of train, a file over a preset' 0 "$lal" help train --preset over.json
[ "$(value d-model)" = 1024 ] && [ "$(value epochs)" = 3 ] || complain 'it should show what the file changes'
echo '{"preset": "over.json"}' >over-over.json
expect 'a preset over one that is over another one' 1 "$lal" train --preset over-over.json --train train.trees
says 'over.json: preset: found the preset of a preset, expected the name of a preset that has no other one'
echo '{"preset": 3}' >number.json
expect 'a preset without a name' 1 "$lal" train --preset number.json --train train.trees
says 'number.json: preset: found no string, expected the name of a preset that has no other one'
expect 'help of train, no such preset' 2 "$lal" help train --preset hgue
expect 'help of train, no such preset on its command line' 0 "$lal" train --preset hgue --help
prints 'with the defaults of preset small'

finish
