#!/bin/sh
# Lists lines of more than 120 columns in sources, tests and documents; fails if there are any. Tables, pictures and
# data may have longer ones.
cd "$(dirname "$0")/.." || exit 2
found=$(git ls-files | grep -E '(^|/)(Makefile|setup|Dockerfile|[^/]*\.(c|h|cu|cpp|def|sh|py|js|css|html|md|mk))$' |
    grep -vE '/golden/.*/' | LC_ALL=C.UTF-8 xargs grep -HnE '^.{121}' |
    grep -vE '^[^:]*\.md:[0-9]*:(\||!)')
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
