#!/bin/sh
# run.sh SECONDS [TARGET...]: builds the fuzz targets (default: all) with clang's libFuzzer, AddressSanitizer and UBSan
# and runs each for SECONDS. Inputs that fail are written to build/fuzz/TARGET-*; after the fault is corrected, add them
# to tests/fuzz/seeds/TARGET.
# shellcheck disable=SC2089,SC2090 # the quotes are the compiler's
set -eu
cd "$(dirname "$0")/../.."
export OPENBLAS_NUM_THREADS=1
export ASAN_OPTIONS=intercept_tls_get_addr=0 # as in tests/run-quietly.sh
seconds=$1
shift
[ $# -gt 0 ] || set -- $(ls tests/fuzz/fuzz_*.c | sed 's:.*/fuzz_::; s:\.c$::')
libs="$(pkg-config --libs libutf8proc libcjson libpcre2-8 zlib 2>/dev/null ||
    echo -lutf8proc -lcjson -lpcre2-8 -lz) -ldl"
flags="-std=c11 -D_XOPEN_SOURCE=700 -I. -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -Wno-psabi"
flags="$flags -DCPU_LEVEL=\"base\" -DCPU_LEVEL_SYMBOL=cpu_level_base -DCPU_LEVELS=LEVEL(cpu_level_base)"
flags="$flags -DLAL_DATADIR=\"\" -DLAL_BLAS=\"libopenblas.so.0\""
flags="$flags $(pkg-config --cflags openblas)"
sources=$(make -s fuzz-sources)
objects=build/fuzz/obj
made=$objects/made
rm -rf "$objects"
mkdir -p "$made"
parser/model/presets.sh models/presets/*.json > "$made/presets.c"
awk -f language/english/ud/lemma_table.awk language/english/ud/lemma.rules > "$made/lemma_rules.c"
base/embed.sh language/english/text/segment_boundary.h segment_weights=language/english/text/segment.weights \
    > "$made/segment_table.c"
base/embed.sh language/english/english.h english_head_rules=models/headrules/english.rules > "$made/head_rules.c"
base/embed.sh explain/pages.h VIEWER_PAGE=viewer/index.html VIEWER_STYLE=viewer/style.css \
    VIEWER_SCRIPT=viewer/start.js > "$made/viewer.c"

# Compiles the library once for all targets.
compile() { # SOURCE...
    for source; do
        object=$objects/$(echo "$source" | tr / _).o
        clang $flags -fsanitize=fuzzer-no-link -c -o "$object" "$source"
    done
}
compile "$made"/*.c $sources

for name; do
    mkdir -p "build/fuzz/corpus-$name"
    more=
    case $name in safetensors | model | checkpoint) more="-dict=tests/fuzz/safetensors.dict -max_len=32768" ;; esac
    case $name in encoder_options) more=-dict=tests/fuzz/encoder_options.dict ;; esac
    case $name in checkpoint) more="$more -close_fd_mask=2" ;; esac # training writes to standard error
    clang $flags -fsanitize=fuzzer -o "build/fuzz/$name" "tests/fuzz/fuzz_$name.c" "$objects"/*.o $libs -lm -pthread
    "build/fuzz/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 $more \
        -artifact_prefix="build/fuzz/$name-" "build/fuzz/corpus-$name" "tests/fuzz/seeds/$name" \
        2> "build/fuzz/$name.log" || { tail -n 40 "build/fuzz/$name.log"; exit 1; }
    echo "$name: $(grep -E 'number_of_executed_units' "build/fuzz/$name.log" | tr -s ' ') , no crash"
done
