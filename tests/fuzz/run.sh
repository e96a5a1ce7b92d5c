#!/bin/sh
# run.sh SECONDS [TARGET...]: builds the fuzz targets (default: all) with clang's libFuzzer, AddressSanitizer and UBSan and runs each for SECONDS.
# Finds go to build/fuzz/TARGET-*; put one into tests/fuzz/seeds/TARGET once it is understood.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p build/fuzz
seconds=$1
shift
[ $# -gt 0 ] || set -- $(ls tests/fuzz/fuzz_*.c | sed 's:.*/fuzz_::; s:\.c$::')
libs=$(pkg-config --libs openblas libutf8proc libcjson expat 2>/dev/null || echo -lopenblas -lutf8proc -lcjson -lexpat)
flags="-std=c11 -I. -g -O1 -fsanitize=address,undefined,fuzzer -fno-sanitize-recover=all -DLAL_VERSION=\"fuzz\" -DLAL_DATADIR=\"\" $(pkg-config --cflags openblas)"
sources=$(ls base/*.c treebank/*.c tensor/*.c tensor/cpu/*.c tensor/cuda/cuda_off.c embeddings/*.c lal/*.c cky/*.c eval/*.c parser/config.c parser/network.c)
parser/presets.sh models/presets/*.json > build/fuzz/presets.c
for name; do
    mkdir -p "build/fuzz/corpus-$name"
    # shellcheck disable=SC2086
    clang $flags -o "build/fuzz/$name" "tests/fuzz/fuzz_$name.c" build/fuzz/presets.c $sources $libs -lm -pthread
    "build/fuzz/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" \
        "build/fuzz/corpus-$name" "tests/fuzz/seeds/$name" 2> "build/fuzz/$name.log" || { tail -n 40 "build/fuzz/$name.log"; exit 1; }
    echo "$name: $(grep -E 'number_of_executed_units' "build/fuzz/$name.log" | tr -s ' ') , no crash"
done
