#!/bin/sh
# language.sh BUILD-FOLDER: models of a language of which nothing is known (--language plain).
. "$(dirname "$0")/harness.sh"
make_toy

# Trees of another script, with tags that are not those of the Penn Treebank.
sed -E 's/\((DT|NN|NNS|NNP|VB[A-Z]?|IN|JJ|RB) [^()]*\)/(\1X 词语)/g' train.trees >other.trees
expect 'a run' 0 "$lal" train --train other.trees --dev other.trees $tiny --epochs 1 --language plain --out plain.lal
expect 'tags of another treebank' 0 "$lal" train --train other.trees --dev other.trees $tiny --epochs 1 --out other.lal
expect 'info' 0 "$lal" model info -m plain.lal
prints 'language="plain"'
expect 'info on English' 0 "$lal" model info --format json -m other.lal
! grep -q language out || complain 'English is not named'

printf '他 don’t 来 well-known\nÞað “er”.\n' >text
expect 'plain text' 0 "$lal" parse --model plain.lal --format conllu text
[ "$(grep -c '^# sent_id' out)" -eq 2 ] || complain 'a sentence on each line'
cut -f 2,3 out | grep -qx 'don’t	_' || complain 'words that are whole, and no lemmas'
prints '# text = Það “er”.'
expect 'no English lemmas' 0 "$lal" parse --model other.lal --format json text
! grep -q '"lemma"' out || complain 'lemmas of tags that are not those of the Penn Treebank'
prints '"form": "n’t"'
expect 'no rules' 2 "$lal" parse --model plain.lal --deps ud --format conllu text
says 'a language without rules (plain)'
expect 'no rules for a treebank' 2 "$lal" convert --to conllu --to-deps ud --language plain --deps dev.conllx dev.trees
says 'for the language plain'

for o in '--model plain.lal' '--language plain'; do
    expect "tokens $o" 0 "$lal" tokenize $o text
    cmp -s text out || complain 'text of tokens that stays as it is'
done
expect 'English tokens of a model' 0 "$lal" tokenize --model other.lal text
prints 'do n’t'
prints ' well-known'
expect 'English tokens' 0 "$lal" tokenize text
prints 'well - known'
expect 'an unknown language' 2 "$lal" train --language klingon
says "found 'klingon', expected one of english|plain"
no_leftovers
finish
