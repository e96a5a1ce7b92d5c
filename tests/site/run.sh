#!/bin/sh
# run.sh BUILD-FOLDER [--record]: the pages of `lal inspect --html` and `lal inspect heads --html` in headless Chromium
# at desktop, tablet and phone width, light and dark: the checks of check.html, and screenshots compared with those of
# golden/ by luminance. --record replaces the screenshots, which `pngquant --quality=90-100` then makes half as large.
# Only the fonts named here are used, so that every machine draws the same.
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
chromium() {
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 \
        --force-color-profile=srgb --allow-file-access-from-files --virtual-time-budget=60000 \
        --user-data-dir="$work/profile" "$@" 2>"$work/err"
}
cd "$here/../.."
# a second model that knows little, for the pages of two models
"$build/lal" train --train examples/news.trees --train-deps english.rules --dev examples/news.trees \
    --dev-deps english.rules --d-model 32 --n-layers 1 --n-heads 2 --d-kv 16 --d-ff 48 --n-label-heads 6 --lal-d-kv 8 \
    --lal-d-proj 8 --d-label-hidden 24 --d-arc 24 --d-type 12 --d-tag-hidden 16 --affix-buckets 50 --word-min-count 1 \
    --epochs 2 --out "$work/tiny.lal" 2>/dev/null
"$build/lal" inspect --model models/en-small.lal --input brackets --gold-deps english.rules --what all \
    --against-model "$work/tiny.lal" --html "$work/site" examples/news.trees 2>/dev/null
"$build/lal" inspect heads --model models/en-small.lal --gold examples/news.trees --gold-deps english.rules \
    --html "$work/site" 2>/dev/null
# enough words for names of heads
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do cat examples/news.trees; done >"$work/many.trees"
"$build/lal" inspect --model models/en-small.lal --input brackets --gold-deps english.rules --what all \
    --html "$work/named" "$work/many.trees" 2>/dev/null
"$build/lal" inspect --model "$work/tiny.lal" --input brackets --gold-deps english.rules --what all \
    --html "$work/unnamed" examples/news.trees 2>/dev/null
"$build/lal" inspect heads --model "$work/tiny.lal" --gold examples/news.trees --gold-deps english.rules \
    --html "$work/unnamed" 2>/dev/null
mkdir "$work/names"
"$build/lal" inspect heads --model models/en-small.lal --gold "$work/many.trees" --gold-deps english.rules \
    --importance none --gr next --show label:1 --html "$work/names" 2>/dev/null
mkdir "$work/shots"
names=
while read -r name page size; do
    names=$names${names:+,}$name
    scheme=1 # light
    case $name in *-dark) scheme=0 ;; esac
    chromium --blink-settings=preferredColorScheme=$scheme --window-size="$size" \
        --screenshot="$work/shots/$name.png" "file://$work/site/$page" >/dev/null
done <<END
sentence-desktop s/1.html 1280,1000
sentence-phone s/1.html 390,1900
explanation s/1.html 1280,800
sentence-tablet s/1.html 768,1400
sentence-dark s/4.html 1760,1000
overview-desktop index.html 1280,1000
overview-phone index.html 390,844
decisions-desktop decisions.html 1280,800
decisions-phone decisions.html 390,844
heads-desktop heads.html 1280,900
END
if [ "${2:-}" = --record ]; then
    mkdir -p "$here/golden"
    cp "$work"/shots/*.png "$here/golden/"
fi
ln -s "$here/golden" "$work/golden"
cp "$here/check.html" "$work/"
for scheme in 1 0; do # light, dark
    chromium --blink-settings=preferredColorScheme=$scheme --dump-dom "file://$work/check.html?shots=$names" \
        > "$work/dom"
    result=$(sed -n '/<pre id="result">/,/<\/pre>/p' "$work/dom" | sed 's/<[^>]*>//g')
    case $result in
    passed*) echo "tests/site: $result" ;;
    *)
        echo "tests/site: ${result:-no result}"
        [ -n "$result" ] || cat "$work/err"
        exit 1
        ;;
    esac
done
