#!/bin/sh
# text.sh BUILD-FOLDER: every row of the tables of docs/TEXT.md: tokens and sentences of `lal tokenize`, and the tags
# that the shape of a token decides, of `lal parse` with the shipped model. A row marked as a known failure must fail.
. "$(dirname "$0")/harness.sh"

# Row N: the input in N.txt, tokens and sentences in N.want, a line for each tag in N.tags, N.fails if it is marked.
# A cell is `code`, with "\|" for "|".
awk '
    /^\| `/ {
        n++
        row = $0
        gsub(/\\\|/, "\001", row)
        cells = split(row, cell, / *\| */)
        for (i = 2; i < cells; i++) {
            gsub(/^`|`$/, "", cell[i])
            gsub(/\001/, "|", cell[i])
        }
        gsub(/↵/, "\n", cell[2])
        file = sprintf("%03d", n)
        printf "%s\n", cell[2] > (file ".txt")
        gsub(/ ‖ /, "\n", cell[3])
        printf "%s\n", cell[3] > (file ".want")
        tags = split(cell[4], tag, " ")
        for (i = 1; i <= tags; i++) {
            form = tag[i]
            sub(/\/[^\/]*$/, "", form)
            printf "%s.txt\t%s\t%s\n", file, form, substr(tag[i], length(form) + 2) > "tags"
        }
        if (cell[5] != "") print cell[5] > (file ".fails")
        close(file ".txt"); close(file ".want"); close(file ".fails")
    }' "$root/docs/TEXT.md"
rows=$(ls ./*.want | wc -l)
[ "$rows" -ge 150 ] || { name=TEXT.md; complain "$rows rows, expected 150 or more"; }

expect 'tags' 0 "$lal" parse --format conllu ???.txt
# Lines of `tags` whose token has another tag, or is not found.
awk -F '\t' '
    FNR == NR { if (sub(/^# newdoc id = /, "")) file = $0; else if (NF == 10) tag[file, $2, $5]; next }
    !(($1, $2, $3) in tag)' out tags >wrong_tags

for text in ???.txt; do
    row=${text%.txt}
    expect "row $row" 0 "$lal" tokenize "$text"
    right=yes
    cmp -s out "$row.want" || right=no
    grep -q "^$text" wrong_tags && right=no
    if [ -f "$row.fails" ]; then
        [ $right = no ] || complain 'is marked as a known failure, but passes'
    elif [ $right = no ]; then
        complain 'tokens, sentences or tags differ: expected, found, expected tags that were not found'
        cat "$row.want"; echo ---; cat out; echo ---; grep "^$text" wrong_tags
    fi
done

finish
