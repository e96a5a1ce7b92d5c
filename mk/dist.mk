# What users take of a release, in build/dist: docs/RELEASE.md. Two builds of a commit are equal: the times in archives
# are those of the commit, of debian/changelog, or hatchling's one for all.
RELEASE := lalparser-$(VERSION)
IN_DEBIAN := build/debian/$(RELEASE)
# Its make has switches of its own.
DEBUILD = env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS DEB_BUILD_OPTIONS='nocheck noautodbgsym parallel=$(shell nproc)' \
	dpkg-buildpackage -us -uc -b
dist: wheels wasm-page ## a release of the last commit, in build/dist (docs/RELEASE.md)
	@[ -z "$$(git status --porcelain)" ] || { echo 'make dist: found changes that are not committed' >&2; exit 1; }
	@rm -rf build/dist build/debian && mkdir -p build/dist build/debian
	@git archive --prefix=$(RELEASE)/ HEAD | gzip -9n > build/dist/$(RELEASE)-source.tar.gz
	@tar xzf build/dist/$(RELEASE)-source.tar.gz -C build/debian
	@cd $(IN_DEBIAN) && $(DEBUILD) > ../log 2>&1 || { tail ../log; exit 1; }
	@install -m 644 build/debian/*.deb build/wheels/*-$(VERSION)* build/dist
	@for f in lalparser page; do tar -C build/wasm --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -c $$f | \
	    gzip -9n > build/dist/$(RELEASE)-wasm-$$f.tar.gz; done
	@awk '/^## / { here = $$2 == "$(VERSION)" } here' CHANGELOG.md > build/dist/NOTES.md
	@cd build/dist && sha256sum * > SHA256SUMS && ls -l

.PHONY: dist
