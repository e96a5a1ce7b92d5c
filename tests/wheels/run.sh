#!/bin/sh
# run.sh TAG PYTHON: the wheel of this tag in build/wheels: its names and needs, then what it computes, on this machine,
# in an emulator, or not at all (macOS). TAG sdist: the source package builds, and parses.
tag=$1 python=$2
cd "$(dirname "$0")/../.." || exit 2
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "wheel $tag: $*" >&2; exit 1; }
# own COMMAND...: a command that finds no lalparser but that of this wheel.
own() { env -i PATH="$PATH" PYTHONDONTWRITEBYTECODE=1 ${PYTHONPATH:+PYTHONPATH="$PYTHONPATH"} "$@"; }

if [ "$tag" = sdist ]; then
    PYTHONPATH=$work/package
    "$python" -m pip install -q --no-index --no-deps --no-build-isolation --target "$PYTHONPATH" \
        build/wheels/lalparser-*.tar.gz
    build/default/lal parse -q -m small README.md >"$work/expected"
    own "$python" -m lalparser README.md | cmp - "$work/expected" || fail 'other trees than lal parse'
    echo "wheel $tag: built by pip; parses README.md as lal parse does"
    exit 0
fi
wheel=$(echo build/wheels/lalparser-*-py3-none-"$tag".whl)
"$python" -m zipfile -e "$wheel" "$work"
library=$work/lalparser/lib/liblalparser.so
for name in cjson pcre2 utf8proc zlib; do
    [ -s "$work/lalparser/licenses/$name.txt" ] || fail "found no licence of $name"
done

case $tag in
macosx*)
    {
        echo "$tag" | sed 's/macosx_\([0-9]*\)_\([0-9]*\)_\(.*\)/machine \3\nmacos \1.\2/'
        printf 'needs /usr/lib/lib%s.dylib\n' System.B iconv.2
        case $tag in *arm64) echo signed ;; esac
    } | sort >"$work/expected"
    tests/wheels/macho.py "$library" | sort | diff "$work/expected" - || fail 'found another kind of library'
    echo "wheel $tag: built; not run: this is no Mac"
    exit 0 ;;
esac
grep -o '^LAL_API [^(]*' include/lalparser.h | grep -o 'lal_[a-z_]*$' | sort >"$work/declared"
readelf -W --dyn-syms "$library" | awk '$5 != "LOCAL" && $7 ~ /[0-9]/ { print $8 }' | sort >"$work/exported"
diff "$work/declared" "$work/exported" || fail 'expected the names of lalparser.h alone'
others=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
    grep -vE '^(lib(c|m|dl|pthread)\.so.*|ld-linux.*)$' || :)
[ -z "$others" ] || fail "needs $others"
glibc=$(readelf -V "$library" | sed -n 's/.*GLIBC_2\.\([0-9]*\).*/\1/p' | sort -nu | tail -n 1)
[ "${glibc:-0}" -le 17 ] || fail "needs glibc 2.$glibc"

# Its lines are those of the program on the same level; on another one that rounds otherwise, all but one of a hundred.
cat examples/*.txt docs/ARCHITECTURE.md docs/INTERPRET.md docs/INSTALL.md >"$work/text"
root=build/aarch64-root
case $tag in
*x86_64) run='' most=100000 formats=json levels=$(build/default/lal model info --devices |
    sed -n 's/.*kernels for \([^ ;]*\).*also \([^)]*\)).*/\1 \2/p' | tr -d ,) ;;
*) run="qemu-aarch64 -L $root" most=100 levels=neon formats='brackets conllu' ;; # docs/NUMERICS.md: rounded apart
esac
case $tag in musl*) run="$run ${run:+$root}/lib/ld-musl-${tag##*2_}.so.1" ;; esac
for level in $levels; do
    for format in $formats; do
        case $level in neon) native=x86-64 ;; *) native=$level ;; esac
        LAL_CPU=$native build/default/lal parse -q -m small --threads 1 -f "$format" "$work/text" >"$work/expected"
        # shellcheck disable=SC2086
        seconds=$(LAL_CPU=$level $run build/"$tag"/parse_as "$library" models/en-small.lal "$format" "$work/text" \
            2>&1 >"$work/found") || fail "$seconds"
        others=$(diff "$work/expected" "$work/found" | grep -c '^>' || :) all=$(wc -l <"$work/found")
        [ $((others * most)) -le "$all" ] || fail "$others of $all lines of $format on $level not as on $native"
        echo "wheel $tag: $format on $level, $all lines, $others not as by lal parse on $native, $seconds"
    done
done

# The tests of the Python package: installed by pip, which looks at the tag, or unpacked where no pip runs. Then models
# that have wheels of their own (make wheel-of-FILE).
case $tag in
manylinux*x86_64)
    "$python" -m venv --system-site-packages "$work/venv"
    run_python=$work/venv/bin/python lal=LAL=$PWD/build/default/lal
    add() { "$run_python" -m pip install -q --no-index --no-deps "$1"; } ;;
manylinux*)
    run_python="$run $root/usr/bin/python3" PYTHONPATH=$work lal=''
    starts='native texts' part=Results # without tests that start programs, which an emulator does not
    add() { "$python" -m zipfile -e "$1" "$work"; } ;;
*) exit 0 ;;
esac
add "$wheel"
for test in python/tests/test_*.py; do
    case " ${starts:-} " in *" $(basename "$test" .py | sed s/test_//) "*) continue ;; esac
    case $test in */test_parser.py) class=${part:-} ;; *) class='' ;; esac
    # shellcheck disable=SC2086
    own $lal $run_python "$test" $class 2>"$work/err" || { cat "$work/err"; fail "$test"; }
    echo "wheel $tag: $test: $(tail -n 1 "$work/err")"
done
for model in build/wheels/lalparser_*-py3-none-any.whl; do
    add "$model"
    name=$(basename "$model" | sed 's/^lalparser_\(.*\)-[0-9].*/\1/')
    LAL_CPU=$native build/default/lal parse -q -m "$name" LICENSE >"$work/expected"
    # shellcheck disable=SC2086
    own LAL_CPU="$level" $run_python -m lalparser -m "$name" LICENSE | cmp - "$work/expected" || fail "model $name"
    echo "wheel $tag: $(basename "$model"): trees as by lal parse"
done
