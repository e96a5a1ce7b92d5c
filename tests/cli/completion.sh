#!/bin/sh
# completion.sh BUILD-FOLDER: completion of command lines in bash, and in zsh where there is one.
. "$(dirname "$0")/harness.sh"

mkdir dir && touch dir/inside 'two words.trees' one.trees
expect 'the script for bash' 0 "$lal" help --completion bash
cp out lal.bash
cat >complete.bash <<'END'
# complete.bash WORD...: what the completion offers for the last word; '=' is a word, as bash has it.
. ./lal.bash
COMP_WORDS=(lal "$@") COMP_CWORD=$#
_lal
printf '%s\n' "${COMPREPLY[@]}"
END
# offers NAMES WORD...: exactly these names, in any order
offers() {
    offered=$1; shift
    expect "bash: lal $*" 0 bash complete.bash "$@"
    [ -s err ] && { complain 'standard error is not empty'; cat err; }
    printf '%s\n' $offered | sort >wanted
    sort out | cmp -s - wanted || { complain "it offers $(tr '\n' ' ' <out), expected $offered"; }
}
commands=$("$lal" help | sed -n 's/^  \([a-z]*\) .*/\1/p' | tr '\n' ' ')
formats=$("$lal" help parse | sed -n 's/^  -f, --format //p' | tr '|' ' ')
offers "$commands" ''
offers 'eval evalb' ev
offers '--version' --v
offers "$formats" parse -f ''
offers 'conllu conllx' parse --format con
offers 'conllu conllx' parse --format = con
offers "$formats" parse --format =
offers '--format=conllu --format=conllx' parse --format=con
offers '--max-words --max-memory' parse --max
offers '--no-use-words' train --no-use-wo
offers '--threads' eval --gold one.trees --th
offers 'one.trees' parse on
offers 'one.trees' parse --format json on
offers 'one.trees' train --train on
offers 'one.trees' evalb -p on
offers 'dir' inspect --html ''
offers 'dir/inside' parse dir/
offers 'small' train --preset sm
offers 'small' train --init sm
offers 'base' model info -m ba
offers 'one.trees' model info --model on
offers 'info import prune quantize calibrate' model ''
offers 'prune' model pr
offers 'stats' convert st
offers 'one.trees' convert on
offers 'one.trees' convert stats on
offers '--layout' convert draw --lay
offers 'heads' inspect he
offers 'prune' help model pr
offers '' parse --threads ''
offers '' eval one
offers 'inspect' help in
offers 'none bash zsh' help --completion ''
expect 'bash: a file with a blank in its name' 0 bash complete.bash parse two
[ "$(cat out)" = 'two words.trees' ] || complain 'the name should be whole'
all_commands >all
while read -r c; do
    expect "bash: lal $c -" 0 bash complete.bash $c -
    sort out >offered
    "$lal" help $c | grep -oE '^  (-[a-z], )?--(\[no-\])?[a-z0-9-]+' | sed 's/.*--\(\[no-\]\)\{0,1\}/--/' |
        sort >wanted
    comm -13 offered wanted >missing
    [ -s missing ] && complain "it lacks $(tr '\n' ' ' <missing)"
done <all

expect 'the script for zsh' 0 "$lal" help --completion zsh
if command -v zsh >/dev/null; then
    mkdir functions && cp out functions/_lal
    expect 'zsh reads it' 0 zsh -n functions/_lal
    # An interactive zsh gets each line of ./typed; after a tab and a return, its function lal prints what it was given.
    cat >complete.zsh <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
say() { zpty -w shell "$1"; }
until_line() { # the output up to a line that matches
    local text line
    while zpty -r shell line; do
        text=${text}$line
        [[ $line == *$1* ]] && break
    done
    print -r -- "$text"
}
say 'PS1= PS2=; stty -echo; fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -D -u'
say 'zstyle ":completion:*" insert-tab false; unsetopt zle_bracketed_paste; LISTMAX=1000; COLUMNS=200; TERM=dumb'
say 'lal() { print -r -- "given:${(j:|:)@}:"; }; print rea""dy'
until_line ready >/dev/null
while IFS= read -r typed; do
    zpty -w -n shell "$typed"$'\t\n'
    until_line given: | grep -a -o 'given:.*:'
done <typed
zpty -d shell
END
    sed 's/ *# .*//' >pairs <<'END'
lal tok|given:tokenize:
lal parse --form|given:parse|--format:
lal parse --format js|given:parse|--format|json:
lal parse --format=js|given:parse|--format=json:
lal parse -f js|given:parse|-f|json:
lal parse one|given:parse|one.trees:
lal parse two|given:parse|two words.trees:
lal eval --gold one|given:eval|--gold|one.trees:
lal inspect --html di|given:inspect|--html|dir:
lal train --preset sma|given:train|--preset|small:
lal train --init sma|given:train|--init|small:
lal model inf|given:model|info:
lal model info -m ba|given:model|info|-m|base:
lal eval -m one.lal -m ba|given:eval|-m|one.lal|-m|base:
lal convert st|given:convert|stats:
lal convert on|given:convert|one.trees:
lal convert draw --lay|given:convert|draw|--layout:
lal help model pr|given:help|model|prune:
lal evalb -p one|given:evalb|-p|one.trees:
lal help ins|given:help|inspect:
END
    cut -d'|' -f1 pairs >typed; cut -d'|' -f2- pairs >wanted
    expect 'zsh' 0 zsh -f complete.zsh
    tr -d '\r' <out | diff wanted - || complain 'it completes otherwise'
fi

finish
