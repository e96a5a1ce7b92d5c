# The library for WebAssembly (wasm/), by clang of ziglang: ./setup --wasm puts it into build/zig, and the sources of
# utf8proc and cJSON into build/third-party. It has what parses texts: no training, no search, no OpenBLAS, and of the
# system memory and a clock.
WASM := build/wasm/lalparser
WASM_CC := build/zig/wasm
# Processes, signals and mapped memory in name alone.
WASM_CFLAGS := -msimd128 $(addprefix -D_WASI_EMULATED_,GETPID MMAN SIGNAL) -w
WASM_THIRD := $(BUILD)/utf8proc.o $(BUILD)/cJSON.o
# wasm/system.c is in the place of the first two rows.
WASM_WITHOUT := $(addprefix base/,encoding.c file.c filemap.c gzip.c thread.c) tensor/cpu/blas.c tensor/torch_file.c \
	explain/inspection_match.c \
	base/lock.c base/temporary.c base/zip.c tensor/torch_pickle.c tensor/group_tcp.c api/api_search.c
WASM_ROOMS := $(filter-out search parser/train parser/heads parser/train/run,$(API_ROOMS)) api wasm
WASM_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(filter-out $(WASM_WITHOUT),$(foreach r,$(WASM_ROOMS),$(wildcard $(r)/*.c)))) \
	$(LEVEL_OBJ) $(addsuffix .o,$(ENGLISH) $(PRESETS))

wasm: $(WASM_CC) ## the parser for browsers and node, to build/wasm/lalparser; ./setup --wasm comes first
	+@$(MAKE) -s CC=$(WASM_CC) AR='build/zig/ziglang/zig ar' MACHINE=wasm32-wasi CFLAGS='$(WASM_CFLAGS)' \
	    OPT='-O3 -fvisibility=hidden -fno-math-errno -ffile-prefix-map=$(CURDIR)=.' \
	    PKG_CFLAGS='-Ibuild/third-party -Ibuild/third-party/utf8proc -DUTF8PROC_STATIC' $(WASM)/lal.wasm
	$(Q)cp $(addprefix wasm/,lalparser.js lalparser.d.ts worker.js package.json README.md example.html) $(WASM)
	$(Q)mkdir -p $(WASM)/licenses && cp LICENSE $(WASM)/licenses/lalparser.txt
	$(Q)cp $(addprefix build/third-party/licenses/,utf8proc.txt cjson.txt) $(WASM)/licenses
	$(Q)cp build/zig/ziglang/LICENSE $(WASM)/licenses/zig.txt
	$(Q)cp build/zig/ziglang/lib/libc/musl/COPYRIGHT $(WASM)/licenses/musl.txt

test-wasm: wasm-page build/default/lal ## its outputs beside the program's, errors, memory: in node, and in Chromium
	@node tests/wasm/test.mjs build/default/lal .
	@$(PYTHON) tests/wasm/browser.py

$(WASM_CC): mk/wasm.mk
	@test -e build/zig/ziglang/zig || { echo 'make wasm: found no build/zig, expected it: ./setup --wasm' >&2; exit 1; }
	@printf '#!/bin/sh\nexec $(CURDIR)/build/zig/ziglang/zig cc -target wasm32-wasi -Wno-deprecated "$$@"\n' > $@.new && \
	    chmod +x $@.new && mv $@.new $@

$(BUILD)/wasm.a: $(WASM_OBJ)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(WASM)/lal.wasm: $(OBJ)/wasm/lalparser.o $(BUILD)/wasm.a $(WASM_THIRD)
	$(call start,link)
	$(Q)$(CC) -mexec-model=reactor -s -o $@ $^ $(addprefix -lwasi-emulated-,getpid mman signal) -Wl,-z,stack-size=1048576

$(WASM_THIRD): $(BUILD)/%.o: $(RULES)
	$(call start,compile)
	$(Q)$(CC) $(OPT) -w $(PKG_CFLAGS) -c -o $@ $(wildcard build/third-party/*/$*.c)

# The page, as a folder for any static host: the viewer, which parses by wasm.js, and the models of MODELS_OF_PAGE, the
# first of which it begins with.
PAGE := build/wasm/page
MODELS_OF_PAGE ?= en-small en-base zh-base
$(PAGE)/index.js: $(filter-out viewer/start.js,$(VIEWER_SCRIPTS)) $(addprefix viewer/,wasm.js live.js start.js)
	@mkdir -p $(@D)
	$(Q)cat $^ > $@
wasm-page: wasm $(PAGE)/index.js $(MODELS_OF_PAGE:%=models/%.lal) ## a page that parses, to build/wasm/page
	$(Q)awk -v style=viewer/style.css -v script=$(PAGE)/index.js -f viewer/one_page.awk viewer/index.html \
	    > $(PAGE)/index.html
	$(Q)cp -r viewer/offline.js $(addprefix $(WASM)/,lal.wasm lalparser.js worker.js licenses) \
	    $(MODELS_OF_PAGE:%=models/%.lal) models/README.md $(PAGE)
	$(Q)for m in $(MODELS_OF_PAGE); do echo "$$m $${m%-*}"; done | awk 'BEGIN { printf "[" } { \
	    if (NR > 1) print ","; \
	    printf "{\"name\": \"%s\", \"file\": \"%s.lal\", \"language\": \"%s\"}", $$1, $$1, $$2 } \
	    END { print "]" }' > $(PAGE)/models.json

.PHONY: wasm wasm-page test-wasm
