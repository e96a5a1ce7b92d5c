#!/bin/sh
# [PYTHON=COMMAND] python.sh BUILD-FOLDER: the Python package on the library of the build folder: python/tests.
. "$(dirname "$0")/harness.sh"
[ -e "$build/liblalparser.so" ] || { echo 'skipped: sanitizers have no library of their own'; exit 0; }
python=${PYTHON:-python3} # one with numpy and nltk, if there is one
[ "${PYTHON-}" ] || { /usr/bin/python3 -c 'import nltk, numpy' 2>/dev/null && python=/usr/bin/python3; }
export LALPARSER_LIBRARY="$build/liblalparser.so" LAL="$lal" PYTHONPATH="$root/python/src" PYTHONDONTWRITEBYTECODE=1
for test in "$root"/python/tests/test_*.py; do
    expect "$(basename "$test" .py)" 0 "$python" "$test"
done
for package in numpy nltk spacy; do
    "$python" -c "import $package" 2>/dev/null || echo "skipped: $python has no $package"
done
expect 'no library' 1 env LALPARSER_LIBRARY=missing.so "$python" -c 'import lalparser'
says 'missing.so'

# ---- the wheel, installed into a folder, or unpacked, with nothing else
if "$python" -c 'import hatchling' 2>/dev/null && [ "$build" = "$root/build/default" ]; then
    expect 'a wheel' 0 env -u MAKEFLAGS -u MAKELEVEL make -s -C "$root" PYTHON="$python" wheel
    if "$python" -m pip --version >out 2>&1; then # looks at the tag
        expect 'installing it' 0 "$python" -m pip install -q --no-index --no-deps --target wheel \
            "$root"/build/lalparser-*.whl
    else
        mkdir wheel
        "$python" -m zipfile -e "$root"/build/lalparser-*.whl wheel
    fi
    name='what is in it'
    for file in wheel/lalparser/lib/*.so*; do
        library=$(basename "$file" | sed 's/^lib//; s/\.so.*//')
        [ "$library" = lalparser ] || [ -s "wheel/lalparser/licenses/$library.txt" ] ||
            complain "$library has no licence"
    done
    needs=$(objdump -T wheel/lalparser/lib/*.so* | sed -n 's/.*GLIBC_2\.\([0-9]*\).*/\1/p' | sort -nu | tail -n 1)
    case $(echo "$root"/build/lalparser-*.whl) in
    *-py3-none-manylinux_2_"$needs"_*.whl) ;;
    *) complain "found $(echo "$root"/build/lalparser-*.whl), expected a tag with glibc 2.$needs" ;;
    esac
    # The source package has all that the library is compiled from.
    expect 'a source package' 0 sh -c "cd '$root' && exec '$python' -m hatchling build -t sdist -d '$work'"
    tar xzf lalparser-*.tar.gz && rm lalparser-*.tar.gz
    for tree in "$root" lalparser-*; do
        env -u MAKEFLAGS -u MAKELEVEL make -nBs -C "$tree" build/default/wheel/liblalparser.so |
            sed -n 's/.*echo compile //p' | sort >"compiled.${tree##*/}" || complain "make in $tree"
    done
    cmp compiled.* || complain "other sources than those of the tree"
    lines=$(cat compiled.lalparser-* | wc -l)
    [ "$lines" -gt 100 ] || complain "found $lines sources in the source package"
    expect 'its command' 0 env -i PYTHONPATH=wheel PYTHONDONTWRITEBYTECODE=1 "$python" -m lalparser "$root/README.md"
    "$lal" parse -q --model small "$root/README.md" | cmp - out || complain 'other trees than lal parse'
    expect 'parsing with it' 0 env -i PYTHONPATH=wheel PYTHONDONTWRITEBYTECODE=1 "$python" -c 'import lalparser
print(lalparser.load().format("The dog sees it. It rains!", "brackets"), end="")'
    echo 'The dog sees it. It rains!' | "$lal" parse --model small | cmp - out || complain 'other trees than lal parse'
    if "$python" -c 'import spacy' 2>/dev/null; then
        expect 'its component' 0 env -i PYTHONPATH=wheel PYTHONDONTWRITEBYTECODE=1 "$python" -c 'import spacy
nlp = spacy.blank("en", config={"nlp": {"tokenizer": {"@tokenizers": "lal.Tokenizer.v1"}}})
nlp.add_pipe("lal")
for s in nlp("The dog sees it. It rains!").sents: print("(TOP %s)" % s._.parse_string)'
        echo 'The dog sees it. It rains!' | "$lal" parse --model small | cmp - out ||
            complain 'other trees than lal parse'
    fi
else
    echo 'skipped: there is no hatchling for a wheel (./setup --tests)'
fi
if [ -e "$root/build/default/wheel/liblalparser.so" ]; then
    printf '#!/bin/sh\nexit 1\n' >no-hatchling
    chmod +x no-hatchling
    expect 'a wheel without hatchling' 2 env -u MAKEFLAGS -u MAKELEVEL make -s -C "$root" PYTHON="$work/no-hatchling" \
        wheel
    says "found no hatchling in $work/no-hatchling"
fi
finish
