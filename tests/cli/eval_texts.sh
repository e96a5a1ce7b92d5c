#!/bin/sh
# eval_texts.sh BUILD-FOLDER: `lal eval --measure`: scores of translations, summaries and segments, and what is refused.
. "$(dirname "$0")/harness.sh"

# ---- BLEU
printf 'A black dog runs.\nTwo men sit on a bench.\nIt rains.\n' >gold.de
printf 'A black dog ran.\nTwo men sit on the bench.\nIt rains.\n' >a.de
printf 'The dog runs.\n\nIt is raining.\n' >b.de
bleu() { # NAME STATUS PREDS-AND-OPTIONS...
    name_of=$1 status_of=$2; shift 2
    expect "$name_of" "$status_of" "$lal" eval --measure bleu --gold gold.de "$@"
}
bleu 'a text against itself' 0 --pred gold.de
prints 'BLEU       100.00'
prints 'signature  nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:lal-'
bleu 'one text as JSON' 0 --pred a.de -f json
lines 1
prints '{"bleu": 45.48, '
prints '"precisions": [86.67, 66.67, 44.44, 16.67], "brevity_penalty": 1.0000, "words": 15, "gold_words": 15'
bleu 'scores of each line' 0 --pred a.de --report
prints '       3     100.00'
bleu 'scores of each line as TSV' 0 --pred b.de -f tsv
lines 4
prints "$(printf 'line\tid\tbleu')"
prints "$(printf '2\t\t0.00')"
bleu 'two texts are compared' 0 --pred a.de --pred b.de
prints 'a: a.de, b: b.de'
prints 'BLEU          45.48 '
bleu 'comparisons as JSON' 0 --pred a.de --pred b.de -f json
prints '"comparisons": [{"a": "a.de", "b": "b.de", "bleu": {"a": 45.48, '
prints '"p_randomisation": 0.50000'
bleu 'runs of two settings' 0 --pred a.de --pred a.de --pred b.de --pred gold.de --runs 2 -f json
prints '"bleu": 45.48, "bleu_deviation": 0.00, "runs": [{"name": "a.de"'
printf 'one\n' >short.de
bleu 'too few lines' 1 --pred short.de
says 'short.de:2:1: found the end, expected a translation of gold.de:2'
cat gold.de a.de >long.de
bleu 'too many lines' 1 --pred long.de
says 'long.de:4:1: found one more than the 3 of gold.de, expected the end'
: >empty.de
bleu 'an empty file' 1 --pred empty.de
says 'empty.de:1:1: found nothing to score'
printf 'a\nb \377\nc\n' >bytes.de
bleu 'bytes that are no text' 1 --pred bytes.de
says 'bytes.de:2:3: found bytes that are not UTF-8'

# ---- ROUGE
cat >gold.jsonl <<'end'
{"id": "a", "sentences": ["1", "Two.", "3", "4"], "segments": [{"begin": 0}, {"begin": 2}], "summary": ["The cat sat."]}
{"id": "b", "sentences": ["1.", "Two."], "segments": [{"begin": 0}], "summary": []}
{"id": "c", "sentences": ["1", "Two.", "3"], "segments": [{"begin": 0}, {"begin": 1}], "summary": ["A dog.", "It ran."]}
end
cat >pred.jsonl <<'end'
{"id": "a", "segments": [{"begin": 0}, {"begin": 2}], "summary": ["The cat was here."]}
{"id": "b", "segments": []}
{"id": "c", "sentences": ["1", "Two.", "3"], "segments": [{"begin": 0}, {"begin": 2}], "summary": ["It ran."]}
end
documents() { # NAME STATUS MEASURE PREDS-AND-OPTIONS...
    name_of=$1 status_of=$2 measure=$3; shift 3
    expect "$name_of" "$status_of" "$lal" eval --measure "$measure" --gold gold.jsonl "$@"
}
documents 'summaries' 0 rouge --pred pred.jsonl
prints 'ROUGE-1    61.90'
prints 'ROUGE-2    45.00'
prints 'ROUGE-1    precision 75.00, recall 58.33'
prints 'documents  2, left out without a summary in gold 1'
documents 'scores of each summary' 0 rouge --pred pred.jsonl --report -f json
prints '"report": [{"line": 1, "id": "a", "rouge1": 57.14, '
documents 'summaries are compared' 0 rouge --pred pred.jsonl --pred gold.jsonl
prints 'ROUGE-Lsum    61.90   100.00   -38.10 '

# ---- boundaries
documents 'segments' 0 boundaries --pred pred.jsonl
prints 'F1         50.00'
prints 'WindowDiff 0.00'
prints 'with windows 2'
documents 'a gap more' 0 boundaries --pred gold.jsonl --pred pred.jsonl -f json
prints '"f1": {"a": 100.00, "b": 50.00, '

# ---- documents that are not those of gold
wrong() { # NAME MEASURE LINE MESSAGE
    sed 2,3d pred.jsonl >wrong.jsonl
    printf '{}\n%s\n' "$3" >>wrong.jsonl
    documents "$1" 1 "$2" --pred wrong.jsonl
    says "wrong.jsonl:$4"
}
wrong 'another document' rouge '{"id": "d"}' "3:1: found the document 'd', expected 'c' as at gold.jsonl:3"
wrong 'no summary' rouge '{"id": "c"}' '3:1: found no summary, expected a summary of gold.jsonl:3'
wrong 'no segments' boundaries '{}' '2:1: found no segments, expected boundaries of gold.jsonl:2'
sed 's/"Two."/"2."/' gold.jsonl >other.jsonl
documents 'other sentences' 1 boundaries --pred other.jsonl
says 'other.jsonl:1:1: found sentence 2 of 4, expected the same as in the 4 sentences at gold.jsonl:1'
sed 's/"begin": 2/"begin": 4/; s/"sentences": [^]]*], //' pred.jsonl >far.jsonl
documents 'a segment after the end' 1 boundaries --pred far.jsonl
says 'far.jsonl:1:1: found a segment that begins with sentence 4, expected one of the 4 sentences at gold.jsonl:1'
sed 3d pred.jsonl >fewer.jsonl
documents 'too few documents' 1 boundaries --pred fewer.jsonl
says 'fewer.jsonl:3:1: found the end, expected boundaries of gold.jsonl:3'
documents 'no JSON' 1 rouge --pred gold.de
says "gold.de:1:1: found 'A black dog runs.', expected JSON"

# ---- options
expect 'no --pred' 2 "$lal" eval --measure bleu --gold gold.de
says -- '--measure: found no --pred'
expect 'a model' 2 "$lal" eval --measure bleu --gold gold.de --pred a.de -m x.lal
says 'found --measure and --model, expected --gold and --pred alone'
bleu 'TSV of two texts' 2 --pred a.de --pred b.de -f tsv
says '--format tsv: found 2 systems, expected one'
finish
