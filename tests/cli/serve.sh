#!/bin/sh
# serve.sh BUILD-FOLDER: lal serve on loopback (serve.py), and its command line.
. "$(dirname "$0")/harness.sh"
python=python3 # one with nltk, if there is one
/usr/bin/python3 -c 'import nltk' 2>/dev/null && python=/usr/bin/python3
expect 'no address' 2 "$lal" serve --listen :x
says "--listen: found ':x', expected ADDRESS:PORT, PORT or unix:PATH"
expect 'no model' 1 "$lal" serve --listen 127.0.0.1:0 --model missing.lal
says 'missing.lal'
expect 'a user without a password' 2 "$lal" serve --listen 127.0.0.1:0 --user me
expect 'a prefix' 2 "$lal" serve --prefix lal
says "--prefix: found 'lal', expected a path such as /lal"
expect 'a server' 0 env PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tests/cli/serve.py" "$build"
[ $status -eq 0 ] || cat out
finish
