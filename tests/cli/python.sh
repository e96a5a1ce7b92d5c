#!/bin/sh
# python.sh BUILD-FOLDER: the Python package on the library of the build folder: python/tests.
. "$(dirname "$0")/harness.sh"
[ -e "$build/liblalparser.so" ] || { echo 'skipped: sanitizers have no library of their own'; exit 0; }
python=python3 # one with numpy and nltk, if there is one
/usr/bin/python3 -c 'import nltk, numpy' 2>/dev/null && python=/usr/bin/python3
export LALPARSER_LIBRARY="$build/liblalparser.so" LAL="$lal" PYTHONPATH="$root/python/src" PYTHONDONTWRITEBYTECODE=1
for test in "$root"/python/tests/test_*.py; do
    expect "$(basename "$test" .py)" 0 "$python" "$test"
done
expect 'no library' 1 env LALPARSER_LIBRARY=missing.so "$python" -c 'import lalparser'
says 'missing.so'

# ---- the wheel, unpacked, with nothing else
if "$python" -c 'import hatchling' 2>/dev/null && [ "$build" = "$root/build/default" ]; then
    expect 'a wheel' 0 env -u MAKEFLAGS -u MAKELEVEL make -s -C "$root" PYTHON="$python" wheel
    mkdir wheel
    "$python" -m zipfile -e "$root"/build/lalparser-*.whl wheel
    expect 'parsing with it' 0 env -i PYTHONPATH=wheel PYTHONDONTWRITEBYTECODE=1 "$python" -c 'import lalparser
print(lalparser.load().format("The dog sees it. It rains!", "brackets"), end="")'
    echo 'The dog sees it. It rains!' | "$lal" parse --model small | cmp - out || complain 'other trees than lal parse'
else
    echo 'skipped: there is no hatchling for a wheel (./setup --tests)'
fi
finish
