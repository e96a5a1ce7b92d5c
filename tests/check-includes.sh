#!/bin/sh
# Lists includes that point from a room to one below it in the table of rooms; fails if there is any.
cd "$(dirname "$0")/.." || exit 2
order="base treebank tensor lal embeddings cky eval parser"
rank() { n=0; for r in $order; do n=$((n + 1)); [ "$r" = "$1" ] && echo $n && return; done; echo 0; }
bad=0
for room in $order; do
    for inc in $(grep -rhoE '#include "[a-z]+/' "$room" --include='*.c' --include='*.h' | sed 's/.*"//; s,/,,' | sort -u); do
        down=$(rank "$inc"); own=$(rank "$room")
        if [ "$down" -gt "$own" ] || { [ "$room" = eval ] && [ "$inc" != eval ] && [ "$inc" != treebank ] && [ "$inc" != base ]; }; then
            grep -rn "#include \"$inc/" "$room"; bad=1
        fi
    done
done
exit $bad
