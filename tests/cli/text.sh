#!/bin/sh
# text.sh BUILD-FOLDER: every row of the tables of docs/TEXT.md: tokens and sentences of `lal tokenize`, and the tags
# that the shape of a token decides, of `lal parse` with the shipped model. A row of known failures must fail. Then the
# tags of quotes, and curly apostrophes.
. "$(dirname "$0")/harness.sh"

# Row N: the input in N.txt, tokens and sentences in N.want, a line for each tag in tags, N.fails if it is known to
# fail, N.left if tokens are not all of the text, N.kind if the heading says `--markup KIND`. A cell is `code` or
# ``code``, with "\|" for "|".
awk '
    /^## / { fails = /^## Known failures/; left_out = /^## (Words broken|Markup)/ }
    /^##/ { kind = match($0, /--markup [a-z]+/) ? substr($0, RSTART + 9, RLENGTH - 9) : "" }
    /^\| `/ {
        n++
        row = $0
        gsub(/\\\|/, "\001", row)
        cells = split(row, cell, / *\| */)
        for (i = 2; i < cells; i++) {
            gsub(/^`+|`+$/, "", cell[i])
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
        if (fails) print "" > (file ".fails")
        if (left_out) print "" > (file ".left")
        if (kind) print kind > (file ".kind")
        close(file ".txt"); close(file ".want"); close(file ".fails"); close(file ".left"); close(file ".kind")
    }' "$root/docs/TEXT.md"
rows=$(ls ./*.want | wc -l)
[ "$rows" -ge 150 ] || { name=TEXT.md; complain "$rows rows, expected 150 or more"; }

expect 'tags' 0 "$lal" parse --format conllu ???.txt
# Lines of `tags` whose token has another tag, or is not found.
awk -F '\t' '
    FNR == NR { if (sub(/^# newdoc id = /, "")) file = $0; else if (NF == 10) tag[file, $2, $5]; next }
    !(($1, $2, $3) in tag)' out tags >wrong_tags

# Forms and SpaceAfter=No give the whole text again, but for what white space it has.
awk -F '\t' '
    sub(/^# newdoc id = /, "") { file = $0 ".again" }
    /^$/ { last = 0 }
    NF == 10 && $1 + 0 > last { printf "%s%s", $2, $10 ~ /SpaceAfter=No/ ? "" : " " >file }
    NF == 10 && split($1, range, "-") == 2 { last = range[2] }' out
blanks() { tr -s ' \t\n' ' ' <"$1"; }
for text in ???.txt; do
    [ -f "${text%.txt}.left" ] || [ "$(blanks "$text")" = "$(blanks "$text.again")" ] ||
        { complain "text of CoNLL-U: $text"; cat "$text.again"; }
done

for text in ???.txt; do
    row=${text%.txt}
    kind=auto
    [ ! -f "$row.kind" ] || kind=$(cat "$row.kind")
    expect "row $row" 0 "$lal" tokenize --markup "$kind" "$text"
    right=yes
    cmp -s out "$row.want" || right=no
    grep -q "^$text" wrong_tags && right=no
    if [ -f "$row.fails" ]; then
        [ $right = no ] || complain 'is among the known failures, but passes'
    elif [ $right = no ]; then
        complain 'tokens, sentences or tags differ: expected, found, expected tags that were not found'
        cat "$row.want"; echo ---; cat out; echo ---; grep "^$text" wrong_tags
    fi
done

# Quotes that open and close, in turn, have the tags `` and '' in each of 20 sentences, straight and curly.
cat >templates <<'END'
"Stop!" he said.
He said, "Stop!"
"I will go," she said, "if you come."
She called it "nice" and left.
The "new" house is old.
"What?"
He asked: "Why not?" and "When?"
They sang "Happy Birthday" to her.
"No." That was all.
It is called "The River" (or "The Stream").
("Yes," he said.)
The so-called "experts" were wrong.
"Well," said Tom, "it's late," and he yawned.
Her book, "Rivers of the North", sold well.
Press "Enter" or "Space".
"You're late!" "I know."
He wrote "cat," "dog" and "cow".
What does "fold" mean?
"Go home," I told him; "you are ill."
My mother's "quick" dinner took hours.
END
i=0
while IFS= read -r line; do
    i=$((i + 1))
    printf '%s\n' "$line" >"q$i.txt"
    printf '%s\n' "$line" | awk '{ n = split($0, part, "\""); for (k = 1; k < n; k++)
        printf "%s%s", part[k], k % 2 ? "“" : "”"; print part[n] }' >"c$i.txt"
done <templates
expect 'quotes' 0 "$lal" parse --format conllu q?.txt q??.txt c?.txt c??.txt
awk -F '\t' '
    sub(/^# newdoc id = /, "") { file = $0; n[file] = 0; quotes = 0; files++ }
    NF == 10 && $2 ~ /^["“”]$/ { wrong[file] += $5 != (++quotes % 2 ? "``" : "\047\047") }
    END { for (f in wrong) if (wrong[f]) print f; if (files != 40) print files, "files, expected 40" }' out >wrong
[ ! -s wrong ] || { complain 'quotes with the tag of the other direction:'; cat wrong; }

# A curly apostrophe changes no arc, in a model that folds its words.
make_toy
"$lal" train $data $tiny --fold --out folding.lal >/dev/null 2>&1
cat >straight <<'END'
I don't know. She can't see the river. It's late, isn't it? We've heard that they'll come.
The king's trees aren't old. The rivers' names weren't known. I'd've gone. Let's go! 'Tis rock 'n' roll.
Who's there? You're right: he'd seen it, and she's sure they won't stop.
END
sed "s/'/’/g" straight >curly
for f in straight curly; do
    expect "contractions, $f" 0 "$lal" parse --model folding.lal --format conllx $f
    cut -f 4,5,7,8 out >$f.arcs
done
cmp -s straight.arcs curly.arcs || complain 'curly apostrophes change tags or arcs'
[ "$(grep -c . curly.arcs)" -ge 60 ] || complain 'too few words'

# Rules of a file: of raw text in all commands, not of tokens.
printf '# ours\nabbreviation brouwn.\ntoken Yahoo!\nbegin Article\n' >own.rules
printf 'By brouwn. Ann of Yahoo! Article 5 holds.\n' >ruled
expect 'rules' 0 "$lal" tokenize --rules own.rules ruled
printf 'By brouwn. Ann of Yahoo!\nArticle 5 holds .\n' | cmp - out || complain 'the sentences differ'
expect 'rules of a parse' 0 "$lal" parse --model toy.lal --rules own.rules -f conllu ruled
prints '# text = By brouwn. Ann of Yahoo!'
prints "$(printf '5\tYahoo!')"
expect 'rules of explanations' 0 "$lal" inspect --model toy.lal --rules own.rules -f json ruled
prints '"Yahoo!"'
expect 'tokens' 0 "$lal" parse --model toy.lal --rules own.rules -f conllu --input tokens ruled
prints '# text = By brouwn. Ann of Yahoo! Article 5 holds.'
printf 'abbrev brouwn.\n' >wrong.rules
expect 'what is no rule' 1 "$lal" parse --model toy.lal --rules wrong.rules ruled
says "wrong.rules:1:1: found 'abbrev', expected abbreviation|token|begin|end; did you mean 'abbreviation'?"
expect 'rules that are missing' 1 "$lal" tokenize --rules none ruled
says 'none: cannot open: No such file or directory'

finish
