#!/bin/sh
# encoder_options.sh BUILD-FOLDER: the encoder options of `lal train`: each rule of docs/OPTIONS.md has a message with a
# place, exit status 2, and nothing is read or written; where options may be given, and what replaces what.
. "$(dirname "$0")/harness.sh"

shape='--n-layers 3 --n-heads 8 --n-label-heads 12 --lal-pwff'
run() { # OPTIONS...: data that do not exist show whether they are read
    "$lal" train --train nowhere.trees --out out.lal --log out.jsonl $shape "$@"
}

# refused NAME JSON PLACE MESSAGE [OPTIONS...]: JSON is the value of "encoder_options". With PLACE -, no file is named.
refused() {
    name=$1 place="o.json:$3: " message=$4
    printf '{"encoder_options": %s}\n' "$2" >o.json
    [ "$3" = - ] && place=
    shift 4
    checks=$((checks + 1))
    run --encoder-options o.json "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq 2 ] || complain "exit status $status, expected 2"
    says "lal train: $place$message"
    silent
    for f in out.lal out.lal.ckpt out.jsonl; do absent $f; done
    no_leftovers
}
# The options are good: if the run is refused, they are not carried out yet. Later it lacks its files.
accepted() {
    name=$1
    printf '{"encoder_options": %s}\n' "$2" >o.json
    shift 2
    checks=$((checks + 1))
    run --encoder-options o.json "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq 1 ] || grep -q 'which this version cannot train' err ||
        { complain "exit status $status, expected 1"; cat err; }
}

# ---- keys and names
refused 'unknown key' '{"heads": [{"stack": "self", "heads": [0], "patern": "next", "use": "guide"}]}' 1:64 \
    'encoder_options.heads[0]: unknown key "patern"; did you mean "pattern"?'
refused 'unknown section' '{"gate": {}}' 1:22 'encoder_options: unknown key "gate"; did you mean "gates"?'
refused 'unknown key of a section' '{"gates": {"lamda": 1}}' 1:32 \
    'encoder_options.gates: unknown key "lamda"; did you mean "lambda"?'
refused 'unknown key of a pattern' '{"patterns": {"rel_pos": {"width": 5}}}' 1:47 \
    'encoder_options.patterns.rel_pos: unknown key "width"'
refused 'parameters of no pattern' '{"patterns": {"nexxt": {}}}' 1:35 'encoder_options.patterns: unknown key "nexxt"'
refused 'a key twice' '{"pal": {"at": "ff", "at": "ff"}}' 1:29 'encoder_options.pal: found key "at" twice'
refused 'unknown pattern' '{"heads": [{"heads": [0], "pattern": "nexxt", "use": "mask"}]}' 1:58 \
    'encoder_options.heads[0].pattern: unknown pattern "nexxt"; one of self, next, prev, rel_pos, first, delim, '
refused 'unknown pattern in a list' '{"heads": [{"heads": [0], "pattern": ["self", "nxt"], "use": "mask"}]}' 1:67 \
    'encoder_options.heads[0].pattern: unknown pattern "nxt"; one of self'
refused 'unknown use' '{"heads": [{"heads": [0], "pattern": "next", "use": "guided"}]}' 1:73 \
    'encoder_options.heads[0].use: unknown use "guided"; one of mask, fixed, guide'
refused 'unknown stack' '{"heads": [{"stack": "lable", "heads": [0], "pattern": "next", "use": "mask"}]}' 1:42 \
    'encoder_options.heads[0].stack: unknown stack "lable"; one of self, label, pal'
refused 'unknown stack of gates' '{"gates": {"stacks": ["selv"]}}' 1:42 \
    'encoder_options.gates.stacks: unknown stack "selv"; one of self, label, pal'
refused 'no pattern' '{"heads": [{"heads": [0], "use": "mask"}]}' 1:32 'encoder_options.heads[0]: found no "pattern"'
refused 'a value of another type' '{"gates": {"lambda": "much"}}' 1:42 \
    "encoder_options.gates.lambda: found 'much', expected a number"
refused 'a choice that is not one' '{"gates": {"kind": "hard"}}' 1:40 \
    "encoder_options.gates.kind: found 'hard', expected one of none|hard_concrete|free|constant; did you mean"

# ---- layers and heads
refused 'a head out of range' '{"heads": [{"heads": [0, 9], "pattern": "next", "use": "mask"}]}' 1:46 \
    'encoder_options.heads[0].heads: head 9 does not exist: layer 0 has heads 0..7'
refused 'a label head out of range' \
    '{"heads": [{"stack": "label", "heads": [12], "pattern": "first", "use": "mask"}]}' 1:61 \
    'encoder_options.heads[0].heads: head 12 does not exist: the label attention layer has heads 0..11'
refused 'a layer out of range' '{"heads": [{"layers": [1, 3], "heads": [0], "pattern": "next", "use": "mask"}]}' 1:47 \
    'encoder_options.heads[0].layers: layer 3 does not exist: the model has layers 0..2'
refused 'a negative head' '{"heads": [{"heads": [-1], "pattern": "next", "use": "mask"}]}' 1:43 \
    'encoder_options.heads[0].heads: found -1, expected a whole number from 0 to 4096'
refused 'a head twice' '{"heads": [{"heads": [2, 2], "pattern": "next", "use": "mask"}]}' 1:46 \
    'encoder_options.heads[0].heads: found 2 twice'
refused 'no head' '{"heads": [{"heads": [], "pattern": "next", "use": "mask"}]}' 1:42 \
    'encoder_options.heads[0].heads: found an empty list, expected at least one head'
refused 'no label heads' '{"heads": [{"stack": "label", "heads": [0], "pattern": "first", "use": "mask"}]}' 1:42 \
    'encoder_options.heads[0].stack: the model has no label heads' --no-use-lal
refused 'layers of label heads' \
    '{"heads": [{"stack": "label", "layers": [0], "heads": [0], "pattern": "first", "use": "mask"}]}' 1:61 \
    'encoder_options.heads[0].layers: label heads are one layer; leave out "layers"'
refused 'no PAL' '{"heads": [{"stack": "pal", "heads": [0], "pattern": "next", "use": "mask"}]}' 1:42 \
    'encoder_options.heads[0].stack: the model has no projected attention layers; pal.layers is []'
refused 'a layer without PAL' '{"heads": [{"stack": "pal", "layers": [1], "heads": [0], "pattern": "next",
    "use": "mask"}],
    "pal": {"layers": [0, 2]}}' 1:60 \
    'encoder_options.heads[0].layers: layer 1 has no projected attention layer; pal.layers is [0, 2]'

# ---- two entries on one head
next='"pattern": "next"' self='"stack": "self"'
refused 'two masks' '{"heads": [{"heads": [1], "pattern": "rel_pos", "use": "mask"},
    {"heads": [0, 1], "pattern": "seprat", "use": "mask"}]}' 2:5 \
    'encoder_options.heads[1]: layer 0 head 1 already has mask "rel_pos" (heads[0]); write a list for a union'
refused 'a mask and a fixed pattern' "{\"heads\": [{\"heads\": [1], $next, \"use\": \"fixed\"},
    {\"heads\": \"all\", \"pattern\": \"seprat\", \"use\": \"mask\"}]}" 2:5 \
    'encoder_options.heads[1]: layer 0 head 1 already has fixed pattern "next" (heads[0]); write a list for a union'
refused 'the same entry twice' "{\"heads\": [{$self, \"heads\": [1], $next, \"use\": \"guide\"},
    {$self, \"heads\": [1], $next, \"use\": \"guide\"}]}" 2:5 \
    'encoder_options.heads[1]: layer 0 head 1 already has guidance "next" (heads[0]); write a list for a union'
refused 'fixed and guided' "{\"heads\": [{\"layers\": [0], \"heads\": [2], $next, \"use\": \"fixed\"},
    {\"heads\": [2], $next, \"use\": \"guide\"}]}" 2:5 \
    'encoder_options.heads[1]: layer 0 head 2 is fixed; guiding it has no effect'
refused 'guided, then fixed' "{\"heads\": [{\"layers\": [2], \"heads\": [2], $next, \"use\": \"guide\"},
    {\"heads\": [2], $next, \"use\": \"fixed\"}]}" 2:5 \
    'encoder_options.heads[1]: layer 2 head 2 is fixed; guiding it has no effect'
refused 'guidance outside the mask' "{\"heads\": [
    {\"heads\": [1], \"pattern\": \"dep_syn\", \"use\": \"mask\", \"source\": \"self\"},
    {\"heads\": [1], $next, \"use\": \"guide\"}]}" 3:5 \
    'encoder_options.heads[1]: guidance "next" on layer 0 head 1 can never be reached under mask "dep_syn"'
inside() { # GUIDE MASK [PATTERNS]
    echo "{\"heads\": [{\"heads\": [1], \"pattern\": $2, \"use\": \"mask\"},
        {\"heads\": [1], \"pattern\": $1, \"use\": \"guide\"}], \"patterns\": {${3:-}}}"
}
for p in '"self" "rel_pos"' '"next" "rel_pos"' '"prev" "rel_pos"' '"first" "delim"' '"first" "seprat"' \
    '"delim" "seprat"' \
    '"period" "seprat"' '"seprat" "seprat"' '"rare_w" "rare_w"'; do
    accepted "guidance inside the mask: $p" "$(inside $p)"
done
accepted 'guidance inside one of the masks' "$(inside '["next", "first"]' '["rel_pos", "delim"]')"
for p in '"delim" "first"' '"rel_pos" "next"' '"period" "delim"' '"self" "seprat"' '"rare_w" "seprat"'; do
    refused "guidance outside the mask: $p" "$(inside $p)" 2:9 'encoder_options.heads[1]: guidance '
done
refused 'guidance outside a window of one' "$(inside '"next"' '"rel_pos"' '"rel_pos": {"window": 1}')" 2:9 \
    'encoder_options.heads[1]: guidance "next" on layer 0 head 1 can never be reached under mask "rel_pos"'
refused 'periods that are no separators' "$(inside '"period"' '"seprat"' '"period": {"forms": [".", ":"]}')" 2:9 \
    'encoder_options.heads[1]: guidance "period" on layer 0 head 1 can never be reached under mask "seprat"'

# ---- patterns and heads
refused 'a pattern with positions' \
    '{"heads": [{"stack": "label", "heads": [5], "pattern": "dep_syn", "use": "mask"}]}' 1:76 \
    'encoder_options.heads[0].pattern: pattern "dep_syn" needs a query position'
says 'needs a query position; label heads take first, delim, period, seprat, rare_w, maj_rel, label_span'
accepted 'a pattern with positions, queries from tokens' \
    '{"heads": [{"stack": "label", "heads": [5], "pattern": "next", "use": "mask"}]}' --lal-q-as-matrix
refused 'a fixed label head' '{"heads": [{"stack": "label", "heads": [5], "pattern": "first", "use": "fixed"}]}' 1:92 \
    'encoder_options.heads[0].use: label heads cannot be fixed; use "mask" or "guide"'
refused 'dep_head as a mask' '{"heads": [{"heads": [5], "pattern": "dep_head", "use": "mask"}]}' 1:58 \
    'encoder_options.heads[0].pattern: "dep_head" is a target, not a mask; use "guide" (mask: dep_syn)'
refused 'label_span as a mask' \
    '{"heads": [{"stack": "label", "heads": [5], "pattern": "label_span", "use": "mask"}]}' 1:76 \
    'encoder_options.heads[0].pattern: "label_span" is a target, not a mask; use "guide"'
refused 'label_span of other heads' '{"heads": [{"heads": [5], "pattern": "label_span", "use": "guide"}]}' 1:58 \
    'encoder_options.heads[0].pattern: "label_span" is a target of label heads; use stack "label"'
span='"stack": "label", "heads": [5, 6], "pattern": "label_span", "use": "guide"'
refused 'label_span without labels' "{\"heads\": [{$span}]}" 1:32 \
    'encoder_options.heads[0]: "label_span" needs "labels", one for each number of "heads"'
refused 'too few labels' "{\"heads\": [{$span, \"labels\": [\"NP\"]}]}" 1:119 \
    'encoder_options.heads[0].labels: found 1 labels, expected one for each number of "heads"'
refused 'labels without label_span' \
    '{"heads": [{"heads": [5], "pattern": "next", "use": "mask", "labels": ["NP"]}]}' 1:91 \
    'encoder_options.heads[0].labels: "labels" has no effect without pattern "label_span"'
accepted label_span "{\"heads\": [{$span, \"labels\": [\"NP\", \"VP\"]}]}"
refused 'lemmas' '{"heads": [{"heads": [5], "pattern": "match_token", "use": "mask"}],
    "patterns": {"match_token": {"key": "lemma"}}}' 1:58 \
    'encoder_options.heads[0].pattern: match_token with key "lemma" needs lemmas, which the data do not have'

# ---- parses
syn='{"heads": [{"heads": [5], "pattern": "dep_syn", "use": "mask"'
refused 'no source' "$syn}]}" 1:58 \
    'encoder_options.heads[0].pattern: pattern "dep_syn" as mask needs encoder_options.syntax.source'
refused 'no source of a fixed pattern' '{"heads": [{"heads": [5], "pattern": "maj_rel", "use": "fixed"}]}' 1:58 \
    'encoder_options.heads[0].pattern: pattern "maj_rel" as fixed needs encoder_options.syntax.source'
accepted 'no source of a target: gold' '{"heads": [{"heads": [5], "pattern": "dep_head", "use": "guide"}]}'
refused 'first_pass without a model' "$syn}], \"syntax\": {\"source\": \"first_pass\", \"train_file\": \"x\"}}" 1:58 \
    'encoder_options.heads[0].pattern: syntax.source "first_pass" needs "model" and "train_file"'
refused 'first_pass without a model, no entry' '{"syntax": {"source": "first_pass", "train_file": "x"}}' 1:43 \
    'encoder_options.syntax.source: syntax.source "first_pass" needs "model" and "train_file"'
refused 'file without files' '{"syntax": {"source": "file", "dev_file": "x"}}' 1:43 \
    'encoder_options.syntax.source: syntax.source "file" needs "train_file" and "dev_file"'
refused 'the source of an entry' "$syn, \"source\": \"file\"}]}" 1:94 \
    'encoder_options.heads[0].source: syntax.source "file" needs "train_file" and "dev_file"'
refused 'a source without a parse' "$syn, \"source\": \"punct\"}]}" 1:94 \
    'encoder_options.heads[0].source: pattern "dep_syn" needs a parse, which source "punct" has not'
refused 'a source without an effect' \
    '{"heads": [{"heads": [5], "pattern": "next", "use": "mask", "source": "gold"}]}' 1:91 \
    'encoder_options.heads[0].source: "source" has no effect: no pattern of this entry reads a parse'
refused 'masks with parses of two sources' "$syn},
    {\"layers\": [0], \"heads\": [3], \"pattern\": \"maj_rel\", \"use\": \"mask\", \"source\": \"gold\"}],
    \"syntax\": {\"source\": \"self\"}}" 2:82 \
    'encoder_options.heads[1].source: found masks with parses of sources "self" (heads[0]) and "gold", expected one'
accepted 'a source of all' "$syn}], \"syntax\": {\"source\": \"self\"}}"
grep -q ORACLE err && complain 'it is no oracle'
accepted 'gold' "$syn},
    {\"layers\": [0], \"heads\": [3], \"pattern\": \"intra_span\", \"use\": \"fixed\", \"source\": \"gold\"}],
    \"syntax\": {\"source\": \"gold\"}}" --quiet
says 'ORACLE run: masks read gold syntax (heads[0], heads[1]): scores are an upper bound, and the model cannot parse'
accepted 'gold as a target beside masks' "$syn},
    {\"layers\": [0], \"heads\": [3], \"pattern\": \"dep_head\", \"use\": \"guide\", \"source\": \"gold\"}],
    \"syntax\": {\"source\": \"self\"}}"
grep -q 'cannot train' err && complain 'it is refused'
accepted 'gold as a target' '{"heads": [{"heads": [5], "pattern": "dep_head", "use": "guide", "source": "gold"}]}'
grep -q ORACLE err && complain 'it is no oracle'

# ---- numbers
refused 'an even window' '{"patterns": {"rel_pos": {"window": 4}}}' 1:57 \
    'encoder_options.patterns.rel_pos.window: window is 4; expected an odd number'
refused 'no window' '{"patterns": {"rel_pos": {"window": 0}}}' 1:57 \
    'encoder_options.patterns.rel_pos.window: window is 0; expected an odd number'
refused 'an even window in an entry' '{"heads": [{"heads": [5], "pattern": "rel_pos/window=4", "use": "mask"}]}' 1:58 \
    'encoder_options.heads[0].pattern: pattern rel_pos: window is 4; expected an odd number'
for p in 0 101; do
    refused "$p percent" "{\"patterns\": {\"rare_w\": {\"percent\": $p}}}" 1:57 \
        "encoder_options.patterns.rare_w.percent: percent is $p; expected a number from 1 to 100"
done
refused 'no length' '{"patterns": {"intra_span": {"max_len": 0}}}' 1:61 \
    'encoder_options.patterns.intra_span.max_len: max_len is 0; expected 1 or more'
refused 'gamma' '{"gates": {"gamma": 0.1}}' 1:41 'encoder_options.gates.gamma: gamma is 0.1; expected a negative number'
refused 'gamma 0' '{"gates": {"gamma": 0}}' 1:41 'encoder_options.gates.gamma: gamma is 0; expected a negative number'
refused 'zeta' '{"gates": {"zeta": 1}}' 1:40 'encoder_options.gates.zeta: zeta is 1; expected a number above 1'
for b in 0 -0.5 1.5; do
    refused "beta $b" "{\"gates\": {\"beta\": $b}}" 1:40 \
        "encoder_options.gates.beta: beta is $b; expected a number above 0 and at most 1"
done
refused 'lambda' '{"gates": {"lambda": -1}}' 1:42 'encoder_options.gates.lambda: lambda is -1; expected 0 or more'
refused 'alpha0' '{"guidance": {"alpha0": -1}}' 1:45 \
    'encoder_options.guidance.alpha0: guidance.alpha0 is -1; expected 0 or more'
refused 'a number that is not finite' '{"gates": {"lambda": 1e999}}' 1:42 'encoder_options.gates.lambda: found '
refused 'log alpha that is no number' '{"gates": {"log_alpha_init": NaN}}' 1:50 "found 'NaN}}}', expected JSON"
refused 'guidance without a guide' '{"heads": [{"heads": [0], "pattern": "next", "use": "mask"}],
    "guidance": {"alpha0": 5}}' 2:28 \
    'encoder_options.guidance.alpha0: guidance has no effect without an entry of "heads" with use "guide"'

# ---- gates and PAL
refused 'gates on outputs' '{"gates": {"kind": "free", "stacks": ["label"], "label_at": "output"}}' 1:81 \
    'encoder_options.gates.label_at: gates.label_at "output" needs lal_pwff off'
accepted 'gates on outputs without feed-forward' \
    '{"gates": {"kind": "free", "stacks": ["label"], "label_at": "output"}}' \
    --no-lal-pwff
grep -q 'cannot train' err && complain 'it is refused'
refused 'gates on outputs of combined heads' \
    '{"gates": {"kind": "free", "stacks": ["label"], "label_at": "output"}}' 1:81 \
    'encoder_options.gates.label_at: gates.label_at "output" needs lal_combine_as_self off' \
    --no-lal-pwff --lal-combine-as-self
accepted 'gates of PAL' '{"gates": {"kind": "hard_concrete", "stacks": ["pal"]}, "pal": {"layers": [1]}}'
grep -q 'cannot train' err && complain 'it is refused'
refused 'too few constants of PAL' '{"gates": {"kind": "constant", "stacks": ["label", "pal"], "constant": [1]},
    "pal": {"layers": [0, 2], "heads": 2}}' 1:92 \
    'encoder_options.gates.constant: found 1 values, expected one for each of the 16 gated heads'
accepted 'gates from scratch' '{"gates": {"kind": "hard_concrete"}}'
says 'warning: gates.kind is "hard_concrete" without gates.start_from'
accepted 'gates of a trained model' '{"gates": {"kind": "hard_concrete", "start_from": "a.lal"}}'
grep -q warning err && complain 'it should not warn'
refused 'gates of nothing' '{"gates": {"kind": "free", "stacks": []}}' 1:58 \
    'encoder_options.gates.stacks: found no stack'
refused 'gates of no label heads' '{"gates": {"kind": "free", "stacks": ["self", "label"]}}' 1:58 \
    'encoder_options.gates.stacks: the model has no label heads' --no-use-lal
refused 'gates of no PAL' '{"gates": {"kind": "free", "stacks": ["pal"]}}' 1:58 \
    'encoder_options.gates.stacks: the model has no projected attention layers; pal.layers is []'
refused 'constant gates without values' '{"gates": {"kind": "constant"}}' 1:40 \
    'encoder_options.gates.kind: gates.kind "constant" needs "constant", a list of 0 and 1'
refused 'too few constants' '{"gates": {"kind": "constant", "constant": [1, 0, 1]}}' 1:64 \
    'encoder_options.gates.constant: found 3 values, expected one for each of the 24 gated heads'
refused 'other constants' '{"gates": {"kind": "constant", "constant": [1, 2]}}' 1:68 \
    'encoder_options.gates.constant: found 2, expected a whole number from 0 to 1'
refused 'the width of PAL' '{"pal": {"width": 250}}' 1:39 \
    'encoder_options.pal.width: pal.width 250 is not a multiple of pal.heads 4'
refused 'layers of PAL' '{"pal": {"layers": [0, 3]}}' 1:44 'encoder_options.pal.layers: layer 3 does not exist'
accepted 'PAL' \
    '{"heads": [{"stack": "pal", "heads": [2], "pattern": "prev", "use": "fixed"}], "pal": {"layers": "all"}}'

# ---- the command line
over='{"encoder_options": {"gates": {"gamma"'
refused 'a value of the command line' '{"gates": {"gamma": -0.2}}' - \
    '--encoder-options:1:41: encoder_options.gates.gamma: gamma is 0.1; expected a negative number' \
    --encoder-options "$over: 0.1}}}"
refused 'a value below the one of the command line' '{"gates": {"beta": 2}}' 1:40 \
    'encoder_options.gates.beta: beta is 2; expected a number above 0' --encoder-options "$over: -0.2}}}"
refused 'text that is no JSON' '{}' - "--encoder-options:1:41: found 'nan}}}', expected JSON" \
    --encoder-options "$over: nan}}}"
accepted 'a value that the command line corrects' '{"gates": {"gamma": 0.1}}' --encoder-options "$over: -0.1}}}"
accepted 'nothing' '{"heads": []}'
says 'nowhere.trees: cannot open'
grep -q 'cannot train' err && complain 'it should be the plain model'
expect 'help' 0 "$lal" help train
prints '  --encoder-options FILE|JSON'

# ---- the example of the document
sed -n '/^```json/,/^```$/p; /^```$/q' "$root/docs/OPTIONS.md" | sed '/^```/d' >example.json # the first one
[ -s example.json ] || complain 'docs/OPTIONS.md has no example'
accepted 'the example of docs/OPTIONS.md' "$(sed '1s/^{"encoder_options"://; $s/}$//' example.json)"

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
expect 'a whole run' 0 "$lal" train $data $tiny --encoder-options kept.json $lambda --out whole.lal
expect 'a part of it' 1 "$lal" train $data $tiny --encoder-options kept.json $lambda --out part.lal \
    --stop-at-step 3
rm kept.json # the checkpoint has them
expect 'the rest of it' 0 "$lal" train --resume part.lal.ckpt
grep '^--resume' err && complain 'no option has changed'
for m in whole part; do
    "$lal" model info -f json -m $m.lal | grep -o '"encoder_options": .*, "oracle": false' >$m.info
done
name='the options of a resumed run'; cmp whole.info part.info || complain 'they differ'
grep -q '"labels": \["NP", "VP"\]' part.info && grep -q '"lambda": 0.125' part.info || complain 'they are others'
for m in whole part; do
    "$lal" parse -m $m.lal --input brackets dev.trees >$m.trees || complain "parsing with $m.lal"
done
name='a resumed run'; cmp whole.trees part.trees || complain 'it parses differently'
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
