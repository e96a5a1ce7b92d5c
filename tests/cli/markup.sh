#!/bin/sh
# markup.sh BUILD-FOLDER: pages, subtitles and LaTeX: `--markup auto` knows them by their beginning, Markdown by the
# name of the file; the place of each token is where the file has it, CoNLL-U shows signs as the characters that they
# stand for, and a page of 20 MB takes no more memory than a small one.
. "$(dirname "$0")/harness.sh"
make_toy

cat >page.html <<'END'
<!DOCTYPE html>
<html lang="en"><head><title>The r&ouml;yal tree</title><style>p > a { color: red }</style></head>
<body><!-- <p>hidden</p> --><script>if (1 < 2) document.write("<p>hidden</p>")</script>
<h1>The k&#105;ng's
tree</h1><p>The <b>par</b>ser didn&rsquo;t read R&amp;D &mdash; so it &quot;stays&quot;.<td>Well-kn<i>own</i>.
<p title="a > b">It reads 1 < 2 &lt; 3 & more.<br>Caf&eacute;s&nbsp;open
</body></html>
END
cat >cues.srt <<'END'
1
00:00:01,000 --> 00:00:02,000
{\hidden}<i>The king</i> reads

2
00:00:02,000 --> 00:00:03,000
Tom &amp; Ann&#39;s trees.

3
00:00:03,100 --> 00:00:04,000
- Yes.
- No.
END
cat >paper.tex <<'END'
\documentclass{article}
\title{Hidden}
\begin{document}
\section{The caf\'e} The \emph{par}ser of M\"{u}ller~\cite{hidden} reads ``trees'' -- so $x_i + 1$ stays.
% hidden
We know $\alpha$, 5\% and \begin{equation} hidden = 1. \end{equation}
\end{document} hidden
END

# Places of the tokens in the file: a form without a sign is the bytes of its place, also in characters.
cat >places.py <<'END'
import html, json, sys
data = open(sys.argv[1], "rb").read()
text, at, same, n = data.decode(), 0, 0, 0
for line in sys.stdin:
    for token in json.loads(line)["tokens"]:
        begin, end = token["bytes"]
        piece = data[begin:end].decode()
        assert at <= begin < end and piece == text[token["begin"]:token["end"]], token
        if token["form"] in text:
            plain = (html.unescape(piece), piece.replace(" ", ""))
            assert token["form"] in plain or "<" in piece, token
        same += piece == token["form"]
        at, n = end, n + 1
print(n, n - same)
END
places() { # FILE TOKENS SIGNS
    expect "places in $1" 0 "$lal" tokenize --format json "$1"
    mv out json
    expect "places in $1" 0 sh -c "python3 places.py $1 <json"
    prints "$2 $3"
}
places page.html 36 11
places cues.srt 15 2
places paper.tex 23 8
for kind in html:page.html srt:cues.srt latex:paper.tex; do
    file=${kind#*:}
    expect "$file is known by its beginning" 0 "$lal" tokenize "$file"
    mv out auto
    expect "--markup ${kind%:*}" 0 "$lal" tokenize --markup "${kind%:*}" "$file"
    cmp -s out auto || complain 'other tokens than with --markup auto'
    ! grep -qi hidden auto || complain 'what is hidden is not'
    expect "$file from a pipe" 0 sh -c "cat $file | \"$lal\" tokenize"
    cmp -s out auto || complain 'other tokens than of the file'
    expect "--markup none $file" 0 "$lal" tokenize --markup none "$file"
    grep -qi hidden out || complain 'nothing should be left out'
    expect "$file in another language" 0 "$lal" tokenize --language plain "$file"
    ! grep -qi hidden out || complain 'other languages have markup, too'
    sed '1s/^/Text. /' "$file" >within
    expect "$file within a text" 0 "$lal" tokenize within
    grep -qi hidden out || complain 'auto should not take what something else may be'
done
printf '# A tool\n\n<p align="center">[![hidden](b)](c)</p>\n\n    hidden\n\nIt <b>runs</b>\nfast[^1].\n' >README.md
expect 'README.md' 0 "$lal" tokenize README.md
prints 'It runs fast .'
lines 2
expect 'the same from a pipe' 0 sh -c "\"$lal\" tokenize <README.md"
prints hidden
expect 'signs in CoNLL-U' 0 "$lal" parse --model toy.lal --format conllu page.html
prints "# text = The parser didn’t read R&D — so it \"stays\"."
prints '# text = Cafés open'
prints '# text = Well-known.'
[ "$(grep -c '^# newpar' out)" -eq 5 ] || complain 'expected 5 paragraphs'
expect 'lines of sentences' 0 "$lal" tokenize --format json page.html
prints '"line": 4, "paragraph": true'
prints '"line": 6, "paragraph": true, "begin"'

# A page of 20 MB.
awk 'BEGIN {
    print "<!DOCTYPE html><html><body>"
    for (i = 0; i < 130000; i++)
        printf "<div class=\"x\"><p id=a%d>Line %d of R&amp;D\n\n has a <b>few</b> words. <!-- <p>hidden -->It ends." \
            "</p><script>var hidden = \"<p>\"; for (;;) {}</script></div>%s", i, i, i % 2 ? "\n" : ""
    printf "<img src=\"data:"
    for (i = 0; i < 200000; i++) printf "0123456789hidden"
    print "\"><p>The end.</p></body></html>"
}' >large.html
[ "$(wc -c <large.html)" -gt 20000000 ] || complain 'the page should be large'
most=60000
case $build in *address* | *thread*) most=unlimited ;; esac # they reserve more address space than any limit
expect 'a large page' 0 sh -c "ulimit -v $most; \"$lal\" tokenize large.html"
says 'read in pieces'
lines 260001
[ "$(tail -n 1 out)" = 'The end .' ] || complain 'the end is missing'
[ "$(wc -w <out)" -eq 1560003 ] || complain "$(wc -w <out) tokens"
! grep -q hidden out || complain 'what is hidden is not'

finish
