#!/bin/sh
# search_page.sh BUILD-FOLDER: what docs/SEARCH.md says of its commands and patterns is what they write.
. "$(dirname "$0")/harness.sh"
unset LAL_MODEL LAL_PROGRESS

cp -r "$root/examples" .
expect 'docs/SEARCH.md' 0 python3 "$root/tests/cli/check_search_page.py" "$lal" "$root/docs/SEARCH.md"
[ "$(sed -n 's/ commands, .*//p' out)" -ge 100 ] || complain 'commands and patterns are missing'
[ -s out ] && [ $status -ne 0 ] && cat out
cmp -s search.svg "$root/docs/search.svg" || complain 'docs/search.svg is another picture'

finish
