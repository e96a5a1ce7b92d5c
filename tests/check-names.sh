#!/bin/sh
# tests/check-names.sh FOLDER: lists functions and variables exported by the objects of the library in FOLDER (make
# all) whose names do not begin with a prefix of their module; fails if there are any. Case does not count.
# In ROOM/FOLDER/the_file.c a prefix is
#   - the file's stem, or its beginning up to an underscore: the_file_, the_
#   - the name of a type that a header of the same folder, or of one above it, declares: StrBuf gives str_buf_, strbuf_
#   - an entry FOLDER:PREFIX of this table
table='tensor:linear base:mem base:utf8 base:parallel base:clock tensor/cpu:cpu api:lal parser/parse:model'
cd "$(dirname "$0")/.." || exit 2
objects=
# shellcheck disable=SC2044
for object in $(find "$1" -name '*.o' -not -path '*/obj/tests/*' -not -path '*/program/*' | sort); do
    source=${object#"$1/"}
    source=$(echo "${source%.o}.c" | sed 's|^level/[^/]*/|tensor/cpu/level/|')
    [ -e "$source" ] || [ -e "$1/$source" ] || continue # left by a source that was moved
    objects="$objects $object"
done
[ -n "$objects" ] || { echo "found no objects in $1, expected those of make all" >&2; exit 2; }
{
    for entry in $table; do echo "table $entry"; done
    find ./*/ -name '*.h' -not -path './tests/*' -not -path './build/*' | sed 's|^./||' | while read -r header; do
        sed -nE "s|^typedef (struct\|enum\|union) ([A-Za-z0-9]+).*|type $header \2|p
                 s|^\} ([A-Za-z0-9]+);.*|type $header \1|p" "$header"
    done
    nm -A -P --defined-only $objects | grep -v __odr_asan |
        sed -nE "s|/obj/level/[^/]*/|/obj/tensor/cpu/level/|
                 s|^$1/([^:]*)\.o: ([^ ]+) [TDBRCGVW] .*|name \1.c \2|p"
} | awk '
    function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
    function snake(s,  k, c, out) {
        for (k = 1; k <= length(s); k++) {
            c = substr(s, k, 1)
            out = out (k > 1 && c ~ /[A-Z]/ ? "_" : "") tolower(c)
        }
        return out
    }
    function begins(name, prefix) { return name == prefix || index(name, prefix "_") == 1 }
    $1 == "table" { split($2, part, ":"); prefix[part[1], ++n[part[1]]] = part[2] }
    $1 == "type" {
        room = folder($2)
        prefix[room, ++n[room]] = snake($3)
        prefix[room, ++n[room]] = tolower($3)
    }
    $1 == "name" {
        name = tolower($3)
        stem = $2
        sub(/.*\//, "", stem)
        sub(/\.c$/, "", stem)
        good = begins(name, stem)
        while (sub(/_[^_]*$/, "", stem)) good += begins(name, stem)
        room = folder($2)
        do for (k = 1; k <= n[room]; k++) good += begins(name, prefix[room, k])
        while (sub(/\/[^\/]*$/, "", room))
        if (!good) { print $2 ": " $3; bad = 1 }
    }
    END { exit bad }' && tests/check-parameters.py
