#!/bin/sh
# serve.sh BUILD-FOLDER: lal serve on loopback (serve.py, serve_pressure.py), and its command line.
. "$(dirname "$0")/harness.sh"
python=python3 # one with nltk, if there is one
/usr/bin/python3 -c 'import nltk' 2>/dev/null && python=/usr/bin/python3
expect 'no address' 2 "$lal" serve --listen :x
says "--listen: found ':x', expected ADDRESS:PORT, PORT or unix:PATH"
for port in 70000 65536 -1 +80 0x50 ' 80' http '' 99999999999 1e3 127.0.0.1: localhost:99999 127.0.0.1:-1 \
    '[::1]:70000' '[::1]' 0.0.0.0:http; do
    expect "the port of '$port'" 2 "$lal" serve --listen "$port"
    says '--listen: found the port'
    says 'expected 0 to 65535'
done
expect 'no model' 1 "$lal" serve --listen 127.0.0.1:0 --model missing.lal
says 'missing.lal'
expect 'a user without a password' 2 "$lal" serve --listen 127.0.0.1:0 --user me
expect 'a prefix' 2 "$lal" serve --prefix lal
says "--prefix: found 'lal', expected a path such as /lal"
expect 'a proxy' 2 "$lal" serve --trusted-proxy localhost
says "--trusted-proxy: found 'localhost', expected an address, a network such as 10.0.0.0/8, or unix"
expect 'a server' 0 env PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tests/cli/serve.py" "$build"
[ $status -eq 0 ] || cat out
expect 'under pressure' 0 env PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tests/cli/serve_pressure.py" "$build"
[ $status -eq 0 ] || cat out
finish
