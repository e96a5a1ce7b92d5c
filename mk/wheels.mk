# Wheels for other systems, by one cross compiler: zig, whose `zig cc` is clang with the headers and libraries of each.
# ./setup --wheels puts it into build/zig, and the sources of libraries, which are linked statically, into
# build/third-party. The tag of a wheel is the name of its compiler (build/zig/TAG) and of its folder build/TAG.
ZIG := build/zig/ziglang/zig
SYSTEM_manylinux_2_17_x86_64 := x86_64-linux-gnu.2.17
SYSTEM_manylinux_2_17_aarch64 := aarch64-linux-gnu.2.17
SYSTEM_musllinux_1_2_x86_64 := x86_64-linux-musl
SYSTEM_musllinux_1_2_aarch64 := aarch64-linux-musl
SYSTEM_macosx_11_0_arm64 := aarch64-macos.11.0
SYSTEM_macosx_10_13_x86_64 := x86_64-macos.10.13
TAGS := $(patsubst SYSTEM_%,%,$(filter SYSTEM_%,$(.VARIABLES)))
SYSTEM_macos := $(SYSTEM_macosx_11_0_arm64)

THIRD := build/third-party
PCRE2_SRC := $(addprefix pcre2/src/pcre2_,$(addsuffix .c,auto_possess chartables compile config context convert \
	dfa_match error extuni find_bracket jit_compile maketables match match_data newline ord2utf pattern_info \
	script_run serialize string_utils study substitute substring tables ucd valid_utf xclass))
THIRD_SRC := utf8proc/utf8proc.c cjson/cJSON.c \
	$(addprefix zlib/,$(addsuffix .c,adler32 crc32 deflate gzclose gzlib gzread gzwrite inffast inflate inftrees trees \
	zutil)) $(PCRE2_SRC)
THIRD_OBJ := $(THIRD_SRC:%.c=$(OBJ)/third-party/%.o)
# zlib takes another fdopen for macOS where there is no such name.
THIRD_CPPFLAGS := $(addprefix -I$(THIRD)/,. utf8proc zlib pcre2/src) -DUTF8PROC_STATIC -DPCRE2_STATIC \
	-DHAVE_UNISTD_H -Dfdopen=fdopen -DPCRE2_CODE_UNIT_WIDTH=8 -DSUPPORT_UNICODE -DSUPPORT_JIT -DHAVE_CONFIG_H
$(OBJ)/third-party/%.o: $(THIRD)/%.c $(RULES)
	$(call start,compile)
	$(Q)$(CC) $(THIRD_CPPFLAGS) $(OPT) -w $(CFLAGS) -c -o $@ $<
$(BUILD)/third-party.a: $(THIRD_OBJ) mk/wheels.mk
	@rm -f $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

# make with the compiler of a tag. Its clang says what a processor has in its own way, and it has no libiconv of macOS
# to link with: mk/libiconv.tbd stands for it.
LIBS_OF = build/$(1)/third-party.a $(if $(findstring macos,$(1)),-Lmk -liconv)
MAKE_TAG = $(MAKE) -s CC=build/zig/$(1) AR='$(ZIG) ar' OBJCOPY=: MACHINE=$(SYSTEM_$(1)) PKG_CFLAGS='$(THIRD_CPPFLAGS)' \
	TEXT_LIBS='$(LIBS_OF)' PKG_LIBS='$(LIBS_OF) -ldl' CFLAGS='-w -g0' FLAGS_neon-dotprod=-mcpu=generic+v8_2a+dotprod \
	FLAGS_neon-i8mm=-mcpu=generic+v8_2a+dotprod+i8mm
$(TAGS:%=build/zig/%) build/zig/macos: build/zig/%: mk/wheels.mk
	@test -e $(ZIG) || { echo 'make wheels: found no $(ZIG), expected it: ./setup --wheels' >&2; exit 1; }
	@printf '#!/bin/sh\nexec $(CURDIR)/$(ZIG) cc -target $(SYSTEM_$*) "$$@"\n' > $@.new && chmod +x $@.new && mv $@.new $@

# make wheel-TAG builds and tests one.
MODEL_FILES := $(patsubst models/%,%,$(filter-out models/en-small.lal,$(wildcard models/*.lal)))
MODEL_WHEELS := $(MODEL_FILES:%=wheel-of-%)
$(TAGS:%=wheel-%): wheel-%: build/zig/% build/default/lal $(MODEL_WHEELS)
	+@$(call MAKE_TAG,$*) build/$*/wheel/liblalparser.so build/$*/parse_as
	@rm -f build/wheels/lalparser-*-$*.whl
	@LALPARSER_TAG=$* $(call HATCH,wheel)
	@tests/wheels/run.sh $* $(PYTHON)
$(BUILD)/parse_as: tests/wheels/parse_as.c
	$(Q)$(CC) -I. -std=c11 -O1 -dynamic $< -o $@ -ldl

# Models alone, which lalparser.load finds.
name_of = $(if $(filter zh%,$(1)),zh,$(patsubst en-%.lal,%,$(1)))
$(MODEL_WHEELS): wheel-of-%: models/% has-hatchling
	@mkdir -p build/data/$* && rm -f build/wheels/lalparser_$(call name_of,$*)-*
	@sed 's|@NAME@|$(call name_of,$*)|; s|@FILE@|$*|g; s|@VERSION@|$(VERSION)|; s|@ROOT@|$(CURDIR)|' python/model.toml \
	    > build/data/$*/pyproject.toml
	@cd build/data/$* && $(call HATCH,wheel)

sdist: has-hatchling build/default/lal ## the source of the Python package, which pip builds, to build/wheels
	@rm -f build/wheels/lalparser-*.tar.gz
	@$(call HATCH,sdist)
	@tests/wheels/run.sh sdist $(PYTHON)

wheels: $(TAGS:%=wheel-%) sdist ## packages of Python for Linux and macOS, tested; ./setup --wheels first

MACOS_OPT := OPT='-O1 -fno-sanitize=undefined -fvisibility=hidden'
compile-macos: build/zig/macos ## all of the program and the library for macOS, to build/macos; nothing of it is run
	+@$(call MAKE_TAG,macos) $(MACOS_OPT) build/macos/third-party.a
	+@$(call MAKE_TAG,macos) $(MACOS_OPT) all

.PHONY: wheels sdist compile-macos $(TAGS:%=wheel-%) $(MODEL_WHEELS)
