#!/bin/sh
# run.sh SECONDS: builds every fuzz target with clang's libFuzzer, AddressSanitizer and UBSan and runs each for SECONDS.
# Finds go to build/fuzz/TARGET-*; put one into tests/fuzz/seeds/TARGET once it is understood.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p build/fuzz
libs=$(pkg-config --libs openblas libutf8proc libcjson 2>/dev/null || echo -lopenblas -lutf8proc -lcjson)
flags="-std=c11 -I. -g -O1 -fsanitize=address,undefined,fuzzer -fno-sanitize-recover=all -DLAL_VERSION=\"fuzz\" -DLAL_DATADIR=\"\" $(pkg-config --cflags openblas)"
sources=$(ls base/*.c treebank/*.c tensor/*.c tensor/cpu/*.c tensor/cuda/cuda_off.c embeddings/*.c lal/*.c cky/*.c eval/*.c parser/config.c parser/network.c)
parser/presets.sh models/presets/*.json > build/fuzz/presets.c
for target in tests/fuzz/fuzz_*.c; do
    name=$(basename "$target" .c); name=${name#fuzz_}
    mkdir -p "build/fuzz/corpus-$name"
    # shellcheck disable=SC2086
    clang $flags -o "build/fuzz/$name" "$target" build/fuzz/presets.c $sources $libs -lm -pthread
    "build/fuzz/$name" -max_total_time="$1" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" \
        "build/fuzz/corpus-$name" "tests/fuzz/seeds/$name" 2> "build/fuzz/$name.log" || { tail -n 40 "build/fuzz/$name.log"; exit 1; }
    echo "$name: $(grep -E 'number_of_executed_units' "build/fuzz/$name.log" | tr -s ' ') , no crash"
done
