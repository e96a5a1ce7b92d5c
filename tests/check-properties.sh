#!/bin/sh
# Compares tests/properties.txt with the tests: prints each test that is not where the table has it, each heading
# without a test, and numbers that are missing.
cd "$(dirname "$0")/.." || exit 1
table=${1:-tests/properties.txt}
failed=0
complain() { echo "$table: $*"; failed=1; }

# Is there a test of this name in the file?
found() { # FILE NAME
    case $1 in
    tests/grad/cases.c) grep -qF "{ \"$2\"," "$1" ;;
    # in the list of main too, where clang-format may have broken the line
    *.c) grep -qE "^(TEST\(|static void )$2[()]" "$1" && tr -d ' \n' <"$1" | grep -qF "cmocka_unit_test($2)" ;;
    *.sh) grep -qF -e "'$2'" -e "\"$2\"" "$1" ;;
    *) [ -f "$1/$2" ] ;;
    esac
}

tests=0
while read -r file name; do
    tests=$((tests + 1))
    if [ ! -e "$file" ]; then complain "no file $file"
    elif ! found "$file" "$name"; then complain "no test '$name' in $file"; fi
done <<END
$(sed -n 's/^    //p' "$table")
END

# Headings are numbered from 1, each with at least one test.
expect() { # KIND HOW-MANY
    awk -v kind="$1" -v last="$2" -v table="$table" '
        function end() { if (open && !tests) { print table ": no test of " kind " " open; bad = 1 } open = 0 }
        /^[a-z]+ [0-9]+:/ { end() }
        $1 == kind && /^[a-z]/ {
            if ($2 + 0 != ++n) { print table ": found " $1 " " $2 " expected " n; bad = 1; n = $2 + 0 }
            open = n; tests = 0
        }
        /^    / { tests++ }
        END { end(); if (n != last) { print table ": found " n " of kind " kind ", expected " last; bad = 1 } exit bad }
    ' "$table" || failed=1
}
expect property 25
expect message 19
expect extreme 9
expect number 10
grep -vE '^(#|$|[a-z]+ [0-9]+: .|    tests/)' "$table" && complain 'lines that are neither a heading nor a test'
[ $failed -eq 0 ] && echo "$tests tests"
exit $failed
