#!/bin/sh
# run.sh BUILD-FOLDER [--record]: the pages of `lal inspect --html` and `lal inspect heads --html` in headless Chromium,
# light and dark, at the widths of a desktop and of a phone: the checks of check.html; and the page of `lal serve`, on
# which ten sentences are corrected: correct.html. --record makes the picture of docs/INTERPRET.md instead, which
# `pngquant --quality=90-100` then makes half as large. Only the fonts named here are used, so that every machine draws
# the same.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    echo "skipped: there is no Chromium (./setup --tests)"
    exit 0
fi
fonts=/usr/share/fonts/truetype/dejavu
if [ ! -d "$fonts" ]; then
    echo "skipped: there are no fonts in $fonts (./setup --tests)"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/fonts.conf" <<END
<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>$fonts</dir><cachedir>$work/fonts</cachedir>
<alias binding="same"><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
<alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias></fontconfig>
END
export FONTCONFIG_FILE="$work/fonts.conf" HOME="$work"
# chromium SCHEME ...: scheme 1 is light, 0 dark.
chromium() {
    scheme=$1; shift
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 \
        --force-color-profile=srgb --allow-file-access-from-files --virtual-time-budget=60000 \
        --user-data-dir="$work/profile$scheme" --blink-settings=preferredColorScheme="$scheme" "$@" 2>"$work/err$scheme"
}
cd "$here/../.."
# models that know little: a second one for the pages of two models, and one whose label heads attend inside phrases
train() {
    "$build/lal" train --train examples/news.trees --train-deps english.rules --dev examples/news.trees \
        --dev-deps english.rules --d-model 32 --n-layers 1 --n-heads 2 --d-kv 16 --d-ff 48 --n-label-heads 6 \
        --lal-d-kv 8 --lal-d-proj 8 --d-label-hidden 24 --d-arc 24 --d-type 12 --d-tag-hidden 16 --affix-buckets 50 \
        --word-min-count 1 --epochs 2 "$@" 2>/dev/null
}
train --lal-form words --out "$work/tiny.lal"
train --lal-form phrases --lal-arcs --lal-linked --n-label-heads 20 --epochs 20 --out "$work/phrases.lal"
"$build/lal" inspect --model "$work/phrases.lal" --input brackets --gold-deps english.rules --what all \
    --html "$work/phrases" examples/news.trees 2>/dev/null
"$build/lal" inspect --model models/en-small.lal --input brackets --gold-deps english.rules --what all \
    --against-model "$work/tiny.lal" --html "$work/site" examples/news.trees 2>/dev/null
"$build/lal" inspect heads --model models/en-small.lal --gold examples/news.trees --gold-deps english.rules \
    --html "$work/site" 2>/dev/null
"$build/lal" inspect --model models/en-small.lal --what all --html "$work/one.html" examples/news.txt 2>/dev/null
"$build/lal" inspect --model "$work/tiny.lal" --input brackets --max-words 19 --what all --html "$work/unnamed" \
    examples/news.trees 2>/dev/null
if [ "${2:-}" = --record ]; then
    chromium 1 --window-size=1280,1000 --screenshot="$here/../../docs/inspect.png" "file://$work/site/index.html" \
        >/dev/null
    exit 0
fi
cp "$here/check.html" "$work/"
for scheme in 1 0; do
    chromium $scheme --dump-dom "file://$work/check.html" > "$work/dom$scheme" &
done
wait
# passed SCHEME: does the page that was dumped say so?
passed() {
    result=$(sed -n '/<pre id="result">/,/<\/pre>/p' "$work/dom$1" | sed '/^<script>/,$d; s/<[^>]*>//g')
    case $result in
    passed*) echo "tests/site: $result" ;;
    *)
        printf 'tests/site: %s\n' "${result:-no result}"
        [ -n "$result" ] || cat "$work/err$1"
        exit 1
        ;;
    esac
}
passed 1
passed 0
# one server, and one before it that has correct.html, too; both end with this script
mkfifo "$work/end"
"$build/lal" serve --model models/en-small.lal --listen 127.0.0.1:0 --workers 1 --drain 0 >/dev/null 2>"$work/serve" &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 100); do grep -q ready "$work/serve" && break; sleep 0.1; done
port=$(sed -n 's|.*ready on http://127.0.0.1:\([0-9]*\)/.*|\1|p' "$work/serve")
python3 tests/site/correct.py "$port" <"$work/end" >"$work/address" &
exec 9>"$work/end"
for _ in $(seq 100); do [ -s "$work/address" ] && break; sleep 0.1; done
chromium 1 --virtual-time-budget=300000 --dump-dom "$(cat "$work/address")correct.html" >"$work/dom1"
exec 9>&-
passed 1
