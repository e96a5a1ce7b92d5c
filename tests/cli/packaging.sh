#!/bin/sh
# packaging.sh BUILD INSTALLED PREFIX LIBDIR: debian/ and Dockerfile name what the sources have: the version, the files
# that `make install DESTDIR=INSTALLED` put there, the packages that ./setup needs.
installed=$2 prefix=$3 libdir=$4
. "$(dirname "$0")/harness.sh"
version=$(sed -n 's/^#define LAL_VERSION "\(.*\)"/\1/p' "$root/include/lalparser.h")

expect 'the version of the package' 0 grep -q "^lalparser ($version-" "$root/debian/changelog"
expect 'the package of the shared library' 0 grep -q "^Package: liblalparser${version%%.*}$" "$root/debian/control"
expect 'its files' 0 [ -s "$root/debian/liblalparser${version%%.*}.install" ]
[ -x "$root/debian/rules" ] || complain 'debian/rules should be executable'

# Every file is in one package, or is not to be in any. Debian's zsh has another folder than others.
cd "$installed" && find . -type f -o -type l | sed 's|^\./||' >"$work/files"
cd "$work" || exit 1
sed "s|^${libdir#/}/|usr/lib/x/|; s|^${prefix#/}/|usr/|; s|zsh/site-functions|zsh/vendor-completions|" files |
    sort >have
cat "$root"/debian/*.install "$root/debian/not-installed" | cut -d' ' -f1 |
    sed 's|usr/lib/\*/|usr/lib/x/|; s|[.]|[.]|g; s|\*|[^/]*|g; s|^|^|; s|$|(/\|$)|' >patterns
expect 'files of no package' 1 grep -vE -f patterns have
while read -r pattern; do
    expect "a pattern of debian/*.install: $pattern" 0 grep -qE "$pattern" have
done <patterns

# What the manual page, the programs' help and the files that are installed name is installed, too; and so are licences.
documents=$installed$prefix/share/doc/lalparser
named=$(cat "$installed$prefix/share/man/man1/lal.1" "$installed$prefix"/share/lalparser/examples/*.* |
    grep -oE '(docs|models)/[A-Za-z./]+\.(md|json)|\bREADME\.md' | sort -u)
[ "$(echo "$named" | wc -l)" -gt 15 ] || complain "the manual page should name documents, found: $named"
for f in $named; do
    expect "a document that is named: $f" 0 [ -s "$documents/$f" ]
done
expect 'where the documents are' 0 grep -qx "$prefix/share/doc/lalparser" "$installed$prefix/share/man/man1/lal.1"
for f in $(cat "$root/models/README.md" "$root/debian/copyright" |
    tr -s ' `' '\n\n' | sed -n 's|^\(licenses/[A-Z][A-Za-z_.0-9-]*[A-Za-z0-9]\).*|\1|p' | sort -u); do
    expect "a licence that is named: $f" 0 [ -s "$documents/models/$f" ]
done
for f in "$root"/models/licenses/*; do
    name="the licence $(basename "$f")"
    grep -qF "licenses/$(basename "$f")" "$root/models/README.md" || complain 'models/README.md should name it'
done
for license in $(sed -n 's/^License: //p' "$root/debian/copyright" | sed 's/ and /\n/g' | sort -u); do
    lines=$(grep -A 9 "^License: $license\$" "$root/debian/copyright" | grep -c '^ ')
    expect "the text of $license" 0 [ "$lines" -gt 1 ]
done
expect 'licences in every package' 0 grep -q '	dh_installdocs -A models/licenses' "$root/debian/rules"

expect 'a package of the large model' 0 grep -q '^Package: lalparser-data-large$' "$root/debian/control"
expect 'its file' 0 grep -q '	dh_install -plalparser-data-large usr/share/lalparser/en-large.lal' "$root/debian/rules"

need=''
eval "$(sed -n '/^need="/,/"$/p' "$root/setup")"
for p in $need; do
    expect "Dockerfile installs $p" 0 grep -qw -- "$p" "$root/Dockerfile"
    case $p in gcc | make | libc6-dev) ;; *)
        expect "debian/control builds with $p" 0 grep -qw -- "$p" "$root/debian/control" ;;
    esac
done
for f in $(sed -n 's|^COPY --from=build /out/usr/\([^ ]*\)/ .*|\1|p' "$root/Dockerfile"); do
    expect "the image's $f" 0 [ -d "$installed$prefix/$f" ]
done

finish
