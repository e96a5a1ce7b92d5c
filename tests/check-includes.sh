#!/bin/sh
# Lists includes that point from a folder to one after it in this order, and folders that are not in it; fails if there
# are any. A program of a room (ROOM/program) comes after its room and is included by nobody else; a language
# (language/NAME) is included by itself and by the table of languages alone.
# Lists, too, what files that include one another in a circle include of one another. A file here is a source with the
# header of its name; a header without a source (X_internal.h) is part of those that include it.
cd "$(dirname "$0")/.." || exit 2
order='base treebank treebank/draw search language language/markup language/english/text language/english/ud
    language/english language/english/program language/plain language/trained language/all tensor tensor/cpu
    tensor/cpu/level tensor/cuda lal/heads lal embeddings cky eval eval/program include parser/task parser/model
    parser/parse parser/output parser/train parser/heads '"$(echo parser/task/*/)"' parser/train/run explain
    explain/fast api wasm serve program'
{
    for room in $order; do echo "${room%/}"; done
    echo --
    tops=$(for room in $order; do echo "${room%%/*}"; done | sort -u)
    find $tops '(' -name '*.[ch]' -o -name '*.cu' ')' -exec grep -HoE '#include "[^"]+/[^"]+' {} +
} | awk '
    function language(room) {
        return match(room, /^language\/[^\/]+/) && room !~ /^language\/(all|markup)$/ ? substr(room, 1, RLENGTH) : ""
    }
    function module(file) { sub(/[.][^.]*$/, "", file); return file }
    # adds arrows to the modules that a file of the module includes, also through headers without a source
    function reach(from, file,   part, n, k) {
        n = split(includes[file], part, " ")
        for (k = 1; k <= n; k++) {
            if (module(part[k]) in source) { if (module(part[k]) != from) arrow[from " " module(part[k])] }
            else if (!((from, part[k]) in seen)) { seen[from, part[k]]; reach(from, part[k]) }
        }
    }
    # Is there a way from one module to another?
    function leads(from, to,   part, n, k, found) {
        been[from]
        n = split(next_of[from], part, " ")
        for (k = 1; k <= n && !found; k++) found = part[k] == to || (!(part[k] in been) && leads(part[k], to))
        return found
    }
    !listed { if ($0 == "--") listed = 1; else { rank[$0] = ++n }; next }
    {
        split($0, part, ":#include \"")
        file = part[1]; to = part[2]
        includes[file] = includes[file] " " to
        if (file !~ /h$/) source[module(file)]
        sub(/\/[^\/]*$/, "", to)
        from = file; sub(/\/[^\/]*$/, "", from)
        why = ""
        if (!(from in rank)) why = from " has no rank"
        else if (!(to in rank)) why = to " has no rank"
        else if (rank[to] > rank[from]) why = to " comes after " from
        else if (language(to) && language(to) != language(from) && from != "language/all" && to != "language/trained")
            why = "only language/all includes a language"
        else if (to ~ /(^|\/)program$/ && to != from) why = to " is a program"
        else if (from ~ /^eval/ && to !~ /^(base|treebank|eval)/) why = "eval needs base and treebank only"
        if (why != "") { print file ": includes \"" to "/...\": " why; bad = 1 }
    }
    END {
        for (file in includes) if (module(file) in source) reach(module(file), file)
        for (a in arrow) { split(a, ends, " "); next_of[ends[1]] = next_of[ends[1]] " " ends[2] }
        for (a in arrow) {
            split(a, ends, " ")
            split("", been)
            if (leads(ends[2], ends[1])) { print ends[1] ": includes " ends[2] " in a circle"; bad = 1 }
        }
        exit bad
    }'
