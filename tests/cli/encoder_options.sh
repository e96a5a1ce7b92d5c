#!/bin/sh
# encoder_options.sh BUILD-FOLDER: the encoder options of `lal train`: each rule of docs/OPTIONS.md has a message with a
# place (tests/golden/encoder_options.txt), exit status 2, and nothing is read or written; where options may be given,
# and what replaces what.
# shellcheck disable=SC2089,SC2090 # the quotes are those of JSON
. "$(dirname "$0")/harness.sh"

shape='--n-layers 3 --n-heads 8 --n-label-heads 12 --lal-form words --lal-pwff'

# take: a case of the table; data that do not exist show whether they are read.
take() {
    printf '{"encoder_options": %s}\n' "$json" >o.json
    case $wanted in
    !*) status=2 text="lal train: ${wanted#??}" ;;
    *) status=1 text=': cannot open' ;;
    esac
    expect "$name" $status "$lal" train --train nowhere.trees --out out.lal --log out.jsonl $shape \
        --encoder-options o.json $options
    says "$text"
    case $wanted in
    +?*) says "${wanted#??}" ;;
    -*) ! grep -qF -- "${wanted#??}" err || complain "standard error has: ${wanted#??}" ;;
    esac
    silent
    for f in out.lal out.lal.ckpt out.jsonl; do absent $f; done
    no_leftovers
}
expect 'a pretrained encoder' 0 "$lal" model import "$root/tests/golden/encoders/bert-tiny" --out bert.lal --quiet
cp "$root/tests/golden/encoder_options.txt" cases
{
    printf '# the example of docs/OPTIONS.md\n+\n'
    sed -n '/^```json/,/^```$/p; /^```$/q' "$root/docs/OPTIONS.md" | sed '/^```/d' >example.json # the first one
    sed '1s/^{"encoder_options"://; $s/}$//' example.json
    echo
} >>cases
[ -s example.json ] || complain 'docs/OPTIONS.md has no example'
name='' wanted='' json='' options=''
while IFS= read -r line; do
    case $line in
    '')
        [ -z "$name" ] || take
        name='' wanted='' json='' options=''
        ;;
    '# '*) name=${line#??} ;;
    !* | +* | -*) wanted=$line ;;
    '$ '*) options=${line#??} ;;
    *) json="${json:+$json
}$line" ;;
    esac
done <cases
name='the table'; [ $checks -gt 100 ] || complain "$checks cases were read"
expect 'help' 0 "$lal" help train
prints '  --encoder-options FILE|JSON'

# ---- files
expect 'no file' 1 "$lal" train --train nowhere.trees $shape --encoder-options nowhere.json
says 'nowhere.json: cannot open'
echo '{"heads": []}' >bare.json
expect 'options without their name' 2 "$lal" train --train nowhere.trees $shape --encoder-options bare.json
says 'bare.json:1:2: unknown key "heads", expected encoder_options, analysis or about'
echo '{"about": "nothing"}' >bare.json
expect 'no options' 2 "$lal" train --train nowhere.trees $shape --encoder-options bare.json
says 'bare.json:1:1: found no object "encoder_options", expected one'
echo '[]' >bare.json
expect 'a list' 2 "$lal" train --train nowhere.trees $shape --encoder-options bare.json
says 'found no object "encoder_options"'
cat >preset.json <<END
{"model": {"n_layers": 3},
 "encoder_options": {
   "gates": {"beta": 2, "gamma": 1},
   "patterns": {"rel_pos": {"window": 2}},
   "heads": [{"heads": [9], "pattern": "next", "use": "mask"}]}}
END
expect 'the options of a preset' 2 "$lal" train --train nowhere.trees $shape --preset preset.json
says 'preset.json:4:39: encoder_options.patterns.rel_pos.window: window is 2'
echo '{"encoder_options": {"patterns": {"rel_pos": {"window": 5}}, "gates": {"beta": 0.5}}}' >over.json
expect 'a file over them' 2 "$lal" train --train nowhere.trees $shape --preset preset.json \
    --encoder-options over.json
says 'preset.json:3:34: encoder_options.gates.gamma: gamma is 1; expected a negative number'
echo '{"encoder_options": {"patterns": {"rel_pos": {"window": 5}}, "gates": null}}' >over.json
expect 'a section set to its defaults' 2 "$lal" train --train nowhere.trees $shape --preset preset.json \
    --encoder-options over.json
says 'preset.json:5:25: encoder_options.heads[0].heads: head 9 does not exist'
echo '{"encoder_options": {"patterns": null, "gates": null,
  "heads": [{"heads": [8], "pattern": "next", "use": "mask"}]}}' >over.json
expect 'a list that replaces a list' 2 "$lal" train --train nowhere.trees $shape --preset preset.json \
    --encoder-options over.json
says 'over.json:2:24: encoder_options.heads[0].heads: head 8 does not exist'

# ---- a model keeps its options
make_toy
cat >kept.json <<END
{"encoder_options": {"heads": [
   {"heads": [0], "pattern": ["rel_pos", "seprat"], "use": "mask"},
   {"heads": [1], "pattern": "next", "use": "guide"},
   {"stack": "label", "heads": [3, 0], "pattern": "label_span", "use": "guide", "labels": ["NP", "VP"]},
   {"stack": "label", "heads": [5], "pattern": "rare_w", "use": "mask"}],
 "gates": {"kind": "hard_concrete", "stacks": ["self", "label"]}, "guidance": {"alpha0": 1}}}
END
lambda='--encoder-options {"encoder_options":{"gates":{"lambda":0.125}}}'
expect 'a part of it' 1 "$lal" train $data $tiny --encoder-options kept.json $lambda --out part.lal \
    --stop-at-step 3
rm kept.json # the checkpoint has them
expect 'the rest of it' 0 "$lal" train --resume part.lal.ckpt
grep '^--resume' err && complain 'no option has changed'
expect 'its options' 0 "$lal" model info -f json -m part.lal
grep -q '"labels": \["NP", "VP"\]' out && grep -q '"lambda": 0.125' out || complain 'they are others'
expect 'options given with --resume' 0 "$lal" train --resume part.lal.ckpt --epochs 3 \
    --encoder-options '{"encoder_options": {"gates": {"lambda": 7}, "patterns": {"rel_pos": {"window": 5}}}}'
says '--resume: encoder_options.gates.lambda stays 0.125, found 7; model options are fixed'
says '--resume: encoder_options.patterns.rel_pos stays {"window":3}, found {"window":5}; model options are fixed'
[ "$(grep -c '^--resume' err)" -eq 3 ] || complain 'three options have changed'
expect 'a plain model' 0 "$lal" model info -f json -m toy.lal
prints '"format": 1, '
prints '"encoder_options": null, "oracle": false'
expect 'a model with options' 0 "$lal" model info -m part.lal
prints 'options     {"heads": [{"stack": "self", "layers": "all", "heads": [0], "pattern": ["rel_pos", "seprat"], '
expect 'heads that options act on' 0 "$lal" inspect heads -m part.lal --gold dev.trees --most 3 --gr next
for mark in '1:1 .*\[mask rel_pos + seprat\]' '1:2 .*\[guide next\]' 'label:1 .*\[guide label_span VP\]' \
    'label:4 .*\[guide label_span NP\]' 'label:6 .*\[mask rare_w\]'; do
    grep -q "^$mark" out || complain "no $mark"
done
grep -q '^label:2 .*\[' out && complain 'a plain head is marked'
expect 'the same as JSON' 0 "$lal" inspect heads -m part.lal --gold dev.trees --most 3 --gr next --format json
prints '{"head": "1:1", "options": "mask rel_pos + seprat", "confidence"'
cat >gold.json <<END
{"encoder_options": {"heads": [{"heads": [0], "pattern": "dep_syn", "use": "mask", "source": "gold"}]}}
END
expect 'an oracle' 0 "$lal" train $data $tiny --encoder-options gold.json --out gold.lal
says 'ORACLE run: masks read gold syntax (heads[0])'
expect 'what it is' 0 "$lal" model info -m gold.lal
prints 'oracle      true'
for c in parse inspect; do
    expect "$c with it" 1 "$lal" $c -m gold.lal text
    says 'this model reads gold syntax (oracle) and cannot parse text'
    silent
done

# ---- heads that pruning has removed
expect 'a model whose heads are closed' 0 "$lal" train $data $tiny --epochs 1 --out closed.lal \
    --encoder-options '{"encoder_options": {"gates": {"kind": "hard_concrete", "log_alpha_init": -3}}}'
expect 'the model without them' 0 "$lal" model prune -m closed.lal --gold dev.trees --out small.lal
cat >pruned.json <<END
{"encoder_options": {"heads": [{"heads": [1], "pattern": "next", "use": "mask"}],
  "gates": {"kind": "hard_concrete", "start_from": "small.lal"}}}
END
expect 'options of heads that it does not have' 2 "$lal" train --train nowhere.trees $tiny --encoder-options pruned.json
says 'pruned.json:1:43: encoder_options.heads[0].heads: layer 0 head 1 was pruned from this model; kept: none'
expect 'a model whose label heads are closed' 0 "$lal" train $data $tiny --epochs 1 --out closed.lal --encoder-options \
    '{"encoder_options": {"gates": {"kind": "constant", "stacks": ["label"], "constant": [1, 1, 0, 0, 0, 1]}}}'
expect 'the model without them' 0 "$lal" model prune -m closed.lal --gold dev.trees --out small.lal
sed 's/"heads": \[1\], "pattern": "next"/"stack": "label", "heads": [0, 2], "pattern": "rare_w"/' pruned.json \
    >named.json
expect 'options of label heads that it does not have' 2 "$lal" train --train nowhere.trees $tiny \
    --encoder-options named.json
says 'encoder_options.heads[0].heads: label head 2 was pruned from this model; kept: 0, 1, 5'
expect 'a model that does not exist' 1 "$lal" train --train nowhere.trees $tiny \
    --encoder-options '{"encoder_options": {"gates": {"kind": "hard_concrete", "start_from": "nowhere.lal"}}}'
says 'nowhere.lal: cannot open'

finish
