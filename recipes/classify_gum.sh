#!/bin/sh
# recipes/classify_gum.sh DATA [SEEDS [OPTIONS]]: the genre of a sentence of GUM, by the encoder of the parser without
# and with role-guided heads (docs/CLASSIFY.md). DATA is a folder with train, dev and test .conllu and .ids in it, whose
# ids are GUM_GENRE_DOCUMENT-NUMBER; splits are by document. SEEDS: "1 2 3" by default; OPTIONS go to the training, such
# as --epochs 1. Models and tables are written to build/classify_gum (steps.sh: what is there is not made again). The
# program is build/lal.
set -eu
data=$1 seeds=${2:-1 2 3}
shift; [ $# -eq 0 ] || shift
lal=$(cd "$(dirname "$0")/../build" && pwd)/lal
out=$(dirname "$lal")/classify_gum
mkdir -p "$out"
for split in train dev test; do
    sed -E 's/^[^_]*_([^_]*)_.*/\1/' "$data/$split.ids" >"$out/$split.classes"
done

# Heads 0 to 4 of each layer have the roles of Wang et al. 2020. words: those that need no parse. roles: all five; the
# parse is that of the treebank, in training and in the test, so its scores use more than the words.
role() { printf '{"layers": "all", "heads": [%s], "pattern": "%s", "use": "mask"%s}' "$1" "$2" "${3:-}"; }
words="$(role 0 rare_w), $(role 1 seprat), $(role 4 rel_pos)"
syntax="$(role 2 dep_syn ', "source": "gold"'), $(role 3 maj_rel ', "source": "gold"')"
echo '{"encoder_options": {}}' >"$out/plain.json"
echo "{\"encoder_options\": {\"heads\": [$words]}}" >"$out/words.json"
echo "{\"encoder_options\": {\"heads\": [$words, $syntax]}}" >"$out/roles.json"

. "$(dirname "$0")/steps.sh"
for seed in $seeds; do
    for setting in plain words roles; do
        trained "$out/$setting-$seed.lal" --task classify --train "$data/train.conllu" \
            --train-classes "$out/train.classes" --dev "$data/dev.conllu" --dev-classes "$out/dev.classes" \
            --encoder-options "$out/$setting.json" --seed "$seed" "$@"
    done
done

# The same sentences in their documents (docs/DOCUMENTS.md): a line of JSON for each.
documents() { # SPLIT
    awk -F '\t' '
        function text(s) { gsub(/-LRB-/, "(", s); gsub(/-RRB-/, ")", s); gsub(/["\\]/, "\\\\&", s); return s }
        function close_document() { if (sentences) printf "{\"id\": \"%s\", \"sentences\": [%s], \"classes\": [%s]}\n",
            id, sentences, classes; sentences = classes = "" }
        /^# sent_id = / {
            document = substr($0, 13); sub(/-[0-9]*$/, "", document)
            if (document != id) close_document()
            id = document; split(id, part, "_"); next
        }
        /^[0-9]+\t/ { words = words text($2) ($10 ~ /SpaceAfter=No/ ? "" : " ") }
        /^$/ && words {
            sub(/ $/, "", words)
            sentences = sentences (sentences ? ", " : "") "\"" words "\""
            classes = classes (classes ? ", " : "") "\"" part[2] "\""
            words = ""
        }
        END { close_document() }' "$data/$1.conllu"
}
for split in train dev test; do documents $split >"$out/$split.jsonl"; done
for seed in $seeds; do
    trained "$out/documents-$seed.lal" --task classes --train "$out/train.jsonl" --dev "$out/dev.jsonl" --seed "$seed" \
        --document-words 100 "$@"
done

# The settings, each with a run for each seed, compared with the first one.
models=''
for setting in plain words roles; do
    for seed in $seeds; do models="$models -m $out/$setting-$seed.lal"; done
done
for split in dev test; do
    printf '\n== %s\n' "$split"
    "$lal" eval --gold "$data/$split.conllu" --gold-classes "$out/$split.classes" --runs "$(echo $seeds | wc -w)" \
        --report $models
done | tee "$out/scores.txt"
for split in dev test; do
    printf '\n== %s, sentences in their documents\n' "$split"
    "$lal" eval --gold "$out/$split.jsonl" --runs "$(echo $seeds | wc -w)" \
        $(for seed in $seeds; do echo "-m $out/documents-$seed.lal"; done)
done | tee -a "$out/scores.txt"
