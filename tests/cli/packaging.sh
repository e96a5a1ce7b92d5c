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

expect 'a package of the large model' 0 grep -q '^Build-Profiles: <pkg.lalparser.large>$' "$root/debian/control"
expect 'its file' 0 grep -q '	dh_install -plalparser-data-large usr/share/lalparser/en-large.lal' "$root/debian/rules"

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
