#!/bin/sh
# Lists includes that point from a folder to one after it in this order, and folders that are not in it; fails if there
# are any. A program of a room (ROOM/program) comes after its room and is included by nobody else.
cd "$(dirname "$0")/.." || exit 2
order='base treebank language/english/text language/english/ud treebank/draw language/english/program tensor tensor/cpu
    tensor/cuda lal/heads lal embeddings cky eval eval/program include parser/model parser/parse parser/output
    parser/task parser/task/classify parser/task/detect parser/train parser/lab parser/lab/ablate parser/lab/insight
    parser/lab/insight/fast parser/lab/site parser/api parser/program'
{
    for room in $order; do echo "$room"; done
    echo --
    tops=$(for room in $order; do echo "${room%%/*}"; done | sort -u)
    find $tops '(' -name '*.[ch]' -o -name '*.cu' ')' -exec grep -HoE '#include "[^"]+/' {} +
} | awk '
    !listed { if ($0 == "--") listed = 1; else { rank[$0] = ++n }; next }
    {
        split($0, part, ":#include \"")
        file = part[1]; to = part[2]; sub(/\/$/, "", to)
        from = file; sub(/\/[^\/]*$/, "", from)
        why = ""
        if (!(from in rank)) why = from " has no rank"
        else if (!(to in rank)) why = to " has no rank"
        else if (rank[to] > rank[from]) why = to " comes after " from
        else if (to ~ /\/program$/ && to != from) why = to " is a program"
        else if (from ~ /^eval/ && to !~ /^(base|treebank|eval)/) why = "eval needs base and treebank only"
        if (why != "") { print file ": includes \"" to "/...\": " why; bad = 1 }
    }
    END { exit bad }'
