# Prints the tables of lemma_table.h as C. A line of lemma.rules is a table: tag, kind, and the end, value and addition of
# each rule, all between tabs.
function string(s) {
    gsub(/["\\?]/, "\\\\&", s) # also ?, against trigraphs
    return "\"" s "\""
}
BEGIN {
    FS = "\t"
    print "#include \"language/english/ud/lemma_table.h\"\nconst LemmaRule lemma_rules[] = {"
}
{
    tables = tables "{ " string($1) ", " $2 ", " n + 0 ", " (NF - 2) / 3 " },\n"
    for (k = 3; k < NF; k += 3) print "{ " string($k) ", " $(k + 1) ", " string($(k + 2)) " },"
    n += (NF - 2) / 3
}
END { print "};\nconst LemmaTable lemma_tables[] = {\n" tables "};\nconst int lemma_n_tables = " NR ";" }
