#!/bin/sh
# genres.sh BUILD-FOLDER: ends of sentences in the documents of tests/english/genres, F1 of each. There a line break
# ends a sentence, unless ↩ is before it, and ‖ is an end within a line.
. "$(dirname "$0")/harness.sh"

for document in "$root"/tests/english/genres/*.txt; do
    file=$(basename "$document")
    sed -e 's/ ‖ ↩$//; s/ ↩$//; s/ ‖ / /g' "$document" >"$file"
    expect "$file" 0 "$lal" tokenize --markup none "$file" # subtitles, too, keep their times
    # Each sentence on a line, without blanks.
    awk '{ more = sub(/ ↩$/, ""); gsub(/ ‖( |$)/, "\n"); printf "%s%s", $0, more ? "" : "\n" }' "$document" |
        tr -d ' \t' | grep . >gold
    tr -d ' ' <out | grep . >found
    [ "$(tr -d '\n' <gold)" = "$(tr -d '\n' <found)" ] || { complain 'characters differ'; continue; }
    awk -v file="${file%.txt}" '
        { at[FILENAME] += length($0); ends[FILENAME]++ }
        FILENAME == "gold" { end[at["gold"]] }
        FILENAME == "found" { right += at["found"] in end }
        END { printf "%s\t%.2f\n", file, 200 * right / (ends["gold"] + ends["found"]) }' gold found >>scores
done
[ "$(grep -c . scores)" -eq 12 ] || { name=genres; complain "$(grep -c . scores) documents, expected 12"; }
awk -F '\t' '$2 < 90 { print $1 ": F1 " $2 ", expected 90 or more" }
    { sum += $2 } END { if (sum < 95 * NR) print "mean F1 " sum / NR ", expected 95 or more" }' scores >low
[ ! -s low ] || { name=genres; complain 'ends of sentences:'; cat low scores; }

finish
