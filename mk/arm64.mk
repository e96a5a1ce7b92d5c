# What the kernels of 64-bit ARM compute, on each of their levels, emulated by qemu. ARM64 is a Debian system for ARM of
# libraries alone.
ARM64 := build/aarch64-root
ON_ARM64 := QEMU_LD_PREFIX=$(ARM64) QEMU_SET_ENV=LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu/openblas-pthread
MAKE_ARM64 = $(ON_ARM64) UNDER=qemu-aarch64 TEST_LIMIT=600 PKG_CONFIG_SYSROOT_DIR=$(ARM64) \
	PKG_CONFIG_LIBDIR=$(ARM64)/usr/lib/aarch64-linux-gnu/pkgconfig $(MAKE) -s CC=aarch64-linux-gnu-gcc \
	$(addsuffix =--sysroot=$(ARM64),CFLAGS CXXFLAGS LDFLAGS)
NEON_TESTS := $(addprefix unit/test_,small packed tensor span_best) \
	$(addprefix oracle/test_,decode label_attention transformer) $(ON_LEVELS)
neon: build/default/lal ## tests of the kernels for 64-bit ARM, emulated by qemu; ./setup --arm64 comes first
	@test -d $(ARM64) || { echo 'make neon: no folder $(ARM64), which ./setup --arm64 makes'; exit 1; }
	+@$(MAKE_ARM64) build/aarch64/lal $(NEON_TESTS:%=test/%)
	+@for l in neon-dotprod neon; do LAL_CPU=$$l $(MAKE_ARM64) $(ON_LEVELS:%=test/%) || exit 1; done
	+@$(MAKE_ARM64) REAL=double test/grad/test_gradients
	@build/default/lal parse examples/news.txt > build/aarch64/expected
	@for l in neon-i8mm neon-dotprod neon; do echo "parse on $$l"; LAL_CPU=$$l $(ON_ARM64) qemu-aarch64 \
	    build/aarch64/lal parse examples/news.txt | cmp - build/aarch64/expected || exit 1; done

.PHONY: neon
