# recipes/values.sh: sourced by the recipes that make tables of the scores that lal eval and others write as JSON.
# shellcheck shell=sh
# A function of awk: the number of a member of the JSON in $0, or "-".
value='function value(key,  from) {
    from = length(key) + 4
    return match($0, "\"" key "\": [0-9.]+") ? substr($0, RSTART + from, RLENGTH - from) : "-"
}'
# values KEY...: the numbers of these members of an object, as cells of a table.
values() {
    awk -v keys="$*" "$value"'{
        n = split(keys, key, " ")
        for (k = 1; k <= n; k++) printf "%s%s", value(key[k]), k < n ? " | " : "\n"
    }'
}
