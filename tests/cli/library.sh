#!/bin/sh
# library.sh BUILD INSTALLED PREFIX LIBDIR: the library as a program of others has it: its names, and examples/parse.c
# and conllu.c built by pkg-config against what `make install DESTDIR=INSTALLED` put there, shared and static.
installed=$2 prefix=$3 libdir=$2$4
. "$(dirname "$0")/harness.sh"
CC=${CC:-cc}

# Only what lalparser.h declares, and all of it.
grep -o '^LAL_API [^(]*' "$root/include/lalparser.h" | grep -o 'lal_[a-z_]*$' | sort -u >exported
expect "names of the shared library" 0 sh -c \
    "nm -D --defined-only '$build/liblalparser.so' | cut -d' ' -f3 | sort | diff - exported >&2"
expect "names of the static library" 0 sh -c \
    "nm --defined-only '$build/liblalparser.a' | awk '\$2 ~ /[A-Z]/ { print \$3 }' | sort | diff - exported >&2"
expect "the list is not empty" 0 grep -q lal_parse_text exported
expect "its name for the loader" 0 sh -c "readelf -d '$build/liblalparser.so' | grep -q 'soname: \[liblalparser.so.0\]'"
version=$(sed -n 's/^#define LAL_VERSION "\(.*\)"/\1/p' "$root/include/lalparser.h")
numbers=$(awk '/define LAL_VERSION_/ { printf "%s%s", dot, $3; dot = "." }' "$root/include/lalparser.h")
expect "the version is said alike" 0 [ "$version" = "$numbers" ]

export PKG_CONFIG_PATH="$libdir/pkgconfig"
config() { pkg-config --define-variable=prefix="$installed$prefix" "$@" lalparser; }
expect 'the folder of the models' 0 [ -s "$(config --variable=datadir)/en-small.lal" ]
expect "pkg-config has the version" 0 sh -c "[ '$version' = '$(config --modversion)' ]"

for example in parse conllu; do
    expect "$example.c with the shared library" 0 "$CC" -std=c11 -Wall -Wextra -Werror "$root/examples/$example.c" \
        $(config --cflags --libs) -o $example-shared
    expect "$example.c with the static library" 0 "$CC" -std=c11 "$root/examples/$example.c" \
        $(config --static --cflags --libs | sed 's/-llalparser/-l:liblalparser.a/') -o $example-static
done
# The header by itself is C and C++.
echo '#include <lalparser.h>' >header.c
cp header.c header.cc
expect "the header in C" 0 "$CC" -std=c11 -Wall -Wextra -Wpedantic -Werror $(config --cflags) -c header.c -o header.o
if cxx=$(command -v c++ || command -v clang++); then
    expect "the header in C++" 0 "$cxx" -Wall -Wextra -Wpedantic -Werror $(config --cflags) -c header.cc -o header.o
fi

model=$installed$prefix/share/lalparser/en-small.lal text=$root/examples/news.txt
expect "the program, for comparison" 0 "$lal" parse --model "$model" "$text"
sed 's/^(TOP \(.*\))$/\1/' out >trees
expect "the same as CoNLL-U" 0 "$lal" parse --model "$model" --format conllu --deps stanford "$text"
awk -F'\t' 'NF == 10 { print $2 "\t" $8 }' out >arcs
for kind in shared static; do
    expect "the example runs, $kind" 0 env LD_LIBRARY_PATH="$libdir" ./parse-$kind "$model" "$text"
    grep '^(' out >found
    expect "its trees are the program's, $kind" 0 sh -c "diff trees found >&2"
    env LD_LIBRARY_PATH="$libdir" ./parse-$kind "$model" "$text" | awk -F'\t' 'NF == 5 { print $2 "\t" $3 }' >found
    expect "its arcs are the program's, $kind" 0 sh -c "diff arcs found >&2"
done
# All that CoNLL-U has: contractions, a word written apart, paragraphs, a line of chat, quotes and signs.
cp "$text" mixed.txt
cat >>mixed.txt <<'EOF'

She doesn't know: “I’m not John’s dog,” he'd said, and cannot wait.
with out a doubt :-) http://example.org #tag

(Gonna) e-mail a.b@example.org...great food!!great service!!

EOF
expect "the program as CoNLL-U" 0 "$lal" parse --model "$model" --format conllu mixed.txt
sed 's/\tSpacesAfter=.*/\t_/' out >wanted
prints '# newpar'
expect "it has a contraction" 0 grep -q "^[0-9]*-[0-9]*[[:space:]]doesn't[[:space:]]" wanted
for kind in shared static; do
    expect "conllu.c writes the program's CoNLL-U, $kind" 0 \
        env LD_LIBRARY_PATH="$libdir" ./conllu-$kind "$model" mixed.txt
    cmp -s wanted out || { complain 'it differs'; diff wanted out | head; }
done
# A program with signal handlers and an allocator of cJSON finds them as they were.
expect "a host program" 0 "$CC" -std=c11 -D_DEFAULT_SOURCE "$root/tests/cli/host.c" $(config --cflags --libs) \
    $(pkg-config --cflags --libs libcjson) -o host
expect "the library leaves its host alone" 0 env LD_LIBRARY_PATH="$libdir" ./host "$model"
silent
[ ! -s err ] || { complain "standard error is not empty"; cat err; }
# Too little address space is an error, never a wait or a signal.
for room in 37 45 52 60 66 73 80 92 100; do
    expect "ulimit -v ${room}000" 0 env LD_LIBRARY_PATH="$libdir" \
        sh -c "ulimit -v ${room}000; timeout 60 ./parse-shared '$model' '$text' >tree 2>&1; [ \$? -le 1 ] || exit 2"
    grep -qE '^\(|out of memory|cannot allocate' tree || complain "it says: $(head -c 200 tree)"
done
# Parsers of many threads where there is no address space for all of them.
expect "a program of many threads" 0 "$CC" -std=c11 -D_DEFAULT_SOURCE "$root/tests/cli/crowd.c" \
    $(config --cflags --libs) -pthread -o crowd
for room in 210000 unlimited; do
    expect "many threads, ulimit -v $room" 0 env LD_LIBRARY_PATH="$libdir" MALLOC_ARENA_MAX=1 \
        sh -c "ulimit -v $room && exec timeout 60 ./crowd '$model'"
done
expect "an error is a value" 1 env LD_LIBRARY_PATH="$libdir" ./parse-shared /nowhere.lal "$text"
says "/nowhere.lal: cannot open"
expect "the static one needs no liblalparser" 0 sh -c "! readelf -d parse-static | grep -q liblalparser"

finish
