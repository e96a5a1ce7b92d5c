# lal: `make help` lists the targets. Switches: REAL=double SANITIZE=address,undefined DEBUG=1 CUDA=1; each builds
# in its own folder under build/. CC CXX NVCC CFLAGS CXXFLAGS NVCCFLAGS CPPFLAGS LDFLAGS PREFIX LIBDIR INCLUDEDIR
# BASHDIR ZSHDIR DESTDIR BLAS CUBLAS NCCL OBJCOPY PYTHON are yours. This file has what is built of which sources; in mk/
# are its flags, and what else is made: tests, checks, measurements, data, packages, what is installed.
.DEFAULT_GOAL := all
# All processors, and one more command while another waits for a disk or a pipe; -j says otherwise.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell echo $$(($$(nproc 2>/dev/null || echo 1) + 1)))
endif
# V=1 shows the commands
Q := $(if $(filter 1,$(V)),,@)
VERSION := $(shell sed -n 's/^\#define LAL_VERSION "\(.*\)"/\1/p' include/lalparser.h)
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
SHARE := $(PREFIX)/share/lalparser
DOC := $(PREFIX)/share/doc/lalparser
PYTHON ?= python3

# Objects are made again when one of these changes.
RULES := Makefile mk/flags.mk mk/levels.mk mk/cuda.mk
include $(filter mk/%,$(RULES))

# In the order of tests/check-includes.sh; the library of the parser is all of them.
LANGUAGES := $(patsubst %/,%,$(sort $(dir $(wildcard language/*.c language/*/*.c language/*/*/*.c))))
TREEBANK := treebank treebank/draw $(filter-out %/program,$(LANGUAGES))
TASKS := $(patsubst %/,%,$(sort $(dir $(wildcard parser/task/*/*.c))))
API_ROOMS := base $(TREEBANK) search tensor tensor/cpu tensor/cuda lal/heads lal embeddings cky eval \
	$(addprefix parser/,task model parse output train heads) $(TASKS) parser/train/run explain explain/fast api
ROOMS := $(API_ROOMS) serve
PROGRAMS := program eval/program $(filter %/program,$(LANGUAGES))
TEXT_ROOMS := base $(TREEBANK) eval
SRC := $(foreach r,$(ROOMS),$(wildcard $(r)/*.c))
# The server needs Linux and the header of libmicrohttpd; the library itself is loaded when it starts.
ifeq ($(if $(findstring linux,$(MACHINE)),$(shell pkg-config --exists libmicrohttpd && echo 1)),1)
SRC := $(filter-out serve/serve_off.c,$(SRC))
else
SRC := $(filter-out $(addprefix serve/,serve.c connection.c request.c reply.c mhd.c work.c \
	report.c listen.c systemd.c),$(SRC))
endif
CUDA_OFF := $(OBJ)/tensor/cuda/cuda_off.o
ifeq ($(CUDA),1)
SRC := $(filter-out tensor/cuda/%,$(SRC))
PKG_LIBS += $(CUDA_LIBS)
endif
PROGRAM_SRC := $(wildcard program/*.c)
PROGRAM_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(PROGRAM_SRC))
# Sources that are made of data.
ENGLISH := $(addprefix $(OBJ)/language/english/,text/segment_table ud/lemma_rules english_head_rules)
PRESETS := $(OBJ)/parser/model/presets
VIEWER := $(OBJ)/viewer/viewer
SERVE_PAGE := $(OBJ)/serve/page
LIB_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(SRC)) $(LEVEL_OBJ) $(addsuffix .o,$(ENGLISH) $(PRESETS) $(VIEWER) $(SERVE_PAGE))
ifeq ($(CUDA),1)
LIB_OBJ += $(CUDA_OBJ)
endif
TEXT_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(foreach r,$(TEXT_ROOMS),$(wildcard $(r)/*.c))) $(addsuffix .o,$(ENGLISH))

all: $(BUILD)/lal $(BUILD)/evalb ## the programs (build/lal and build/evalb: the default variant's), the library

# A drop-in EVALB from base, treebank and eval alone, which keeps these free of BLAS.
$(BUILD)/evalb: $(OBJ)/eval/program/evalb.o $(TEXT_OBJ)
	$(call start,link)
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(TEXT_LIBS) -lm
ifeq ($(VARIANT),default)
	@ln -sf default/evalb build/evalb
endif

$(BUILD)/lal: $(PROGRAM_OBJ) $(LIB_OBJ)
	$(call start,link)
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(PKG_LIBS) -lm
ifeq ($(VARIANT),default)
	@ln -sf default/lal build/lal
endif

# The library: what api/ needs of the rooms that parse. liblalparser.a is one object whose only global names
# are those of include/lalparser.h, so it collides with no name of a program. It computes on the CPU in every build.
# Sanitizers have no library of their own.
API_SRC := $(filter $(SRC),$(foreach r,$(API_ROOMS),$(wildcard $(r)/*.c)))
API_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(wildcard api/*.c)) $(BUILD)/parts.a
so_name = liblalparser$(if $(MACOS),$(1).dylib,.so$(1))
SO := $(call so_name,)
SONAME := $(call so_name,.$(firstword $(subst ., ,$(VERSION))))
SO_FILE := $(call so_name,.$(VERSION))
ifneq ($(MACOS),)
SO_FLAGS := -Wl,-install_name,@rpath/$(SONAME)
else
SO_FLAGS := -Wl,-soname,$(SONAME) -Wl,--no-undefined -Wl,--as-needed
endif
LIBS := $(BUILD)/liblalparser.a $(BUILD)/$(SO_FILE)
ifeq ($(SANITIZE),)
all: $(LIBS)
endif

$(BUILD)/parts.a: $(patsubst %.c,$(OBJ)/%.o,$(filter-out api/%,$(API_SRC))) $(LEVEL_OBJ) \
	$(if $(filter 1,$(CUDA)),$(CUDA_OFF)) $(addsuffix .o,$(ENGLISH) $(PRESETS))
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/liblalparser.a: $(API_OBJ)
	$(call start,link)
	$(Q)$(CC) -r -nostdlib -o $(BUILD)/liblalparser.o $^
	$(Q)$(OBJCOPY) --localize-hidden $(BUILD)/liblalparser.o
	@rm -f $@
	$(Q)$(AR) rcs $@ $(BUILD)/liblalparser.o

$(BUILD)/$(SO_FILE): $(API_OBJ)
	$(call start,link)
	$(Q)$(CC) -shared $(SO_FLAGS) -o $@ $^ $(ALL_LDFLAGS) $(PKG_LIBS) -lm
	@ln -sf $(SO_FILE) $(BUILD)/$(SONAME)
	@ln -sf $(SONAME) $(BUILD)/$(SO)

# ---- objects

# Loops of these would take longer than it takes to compile them so.
$(OBJ)/tensor/%.o $(OBJ)/cky/%.o: ALL_CFLAGS += $(if $(SANITIZE)$(filter double,$(REAL)),-O2)
$(OBJ)/tests/%.o: ALL_CFLAGS += $(if $(FOR_TESTS),,-O1 -g0)
# Sanitizers check each copy of an inlined function, and clang would take a minute for them.
$(OBJ)/level/%/product.o: COMMON_CFLAGS += $(if $(SANITIZE),-DINLINE=static)

$(OBJ)/%.o: %.c $(RULES)
	$(call start,compile)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

EMBED = @mkdir -p $(@D); base/embed.sh
$(OBJ)/language/english/text/segment_table.c: language/english/text/segment.weights base/embed.sh
	$(EMBED) language/english/text/segment_boundary.h segment_weights=$< > $@

# The scripts of the viewer as one; the last one starts it.
VIEWER_SCRIPTS := $(patsubst %,viewer/%.js,base drawing sentence overview compare heads start)
$(VIEWER).js: $(VIEWER_SCRIPTS)
	@mkdir -p $(@D)
	$(Q)cat $^ > $@
$(VIEWER).c: viewer/index.html viewer/style.css $(VIEWER).js base/embed.sh
	$(EMBED) explain/pages.h VIEWER_PAGE=$< VIEWER_STYLE=$(word 2,$^) VIEWER_SCRIPT=$(word 3,$^) > $@

# The page of the server: the viewer as one file, with what parses.
$(SERVE_PAGE).js: $(filter-out viewer/start.js,$(VIEWER_SCRIPTS)) $(addprefix viewer/,http.js live.js start.js)
	@mkdir -p $(@D)
	$(Q)cat $^ > $@
$(SERVE_PAGE).html: viewer/one_page.awk viewer/index.html viewer/style.css $(SERVE_PAGE).js
	$(Q)awk -v style=viewer/style.css -v script=$(SERVE_PAGE).js -f $(wordlist 1,2,$^) > $@

$(SERVE_PAGE).c: $(SERVE_PAGE).html serve/openapi.json docs/parse.schema.json base/embed.sh
	$(EMBED) serve/page.h PAGE_HTML=$< PAGE_OPENAPI=$(word 2,$^) PAGE_SCHEMA=$(word 3,$^) > $@

$(OBJ)/language/english/english_head_rules.c: models/headrules/english.rules base/embed.sh
	$(EMBED) language/english/english.h english_head_rules=$< > $@

$(OBJ)/language/english/ud/lemma_rules.c: language/english/ud/lemma_table.awk language/english/ud/lemma.rules
	@mkdir -p $(@D)
	@awk -f $^ > $@

$(PRESETS).c: parser/model/presets.sh $(wildcard models/presets/*.json)
	@mkdir -p $(@D)
	@$^ > $@

$(addsuffix .o,$(ENGLISH) $(PRESETS) $(VIEWER) $(SERVE_PAGE)): %.o: %.c $(RULES)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -Wno-overlength-strings -MMD -MP -c -o $@ $<

PLAN ?= reduced
ABLATION ?= $(BUILD)/ablation/$(PLAN)
DATA_SET = --$(1) $(DATA)/$(1).trees --$(1)-deps $(firstword $(wildcard $(DATA)/$(1).conllx $(DATA)/$(1).conllu))
ablate: all ## ablation PLAN=NAME (reduced) on DATA=FOLDER, train, dev and test .trees and .conllx (docs/ABLATION.md)
	@test -e '$(DATA)/train.trees' || { echo 'make ablate DATA=FOLDER: no file $(DATA)/train.trees'; exit 1; }
	@mkdir -p $(dir $(ABLATION))
	LAL=$(BUILD)/lal recipes/ablate.py $(PLAN) --out $(ABLATION) $(foreach s,train dev test,$(call DATA_SET,$(s)))

include $(addprefix mk/,tests.mk check.mk bench.mk english.mk arm64.mk wheels.mk wasm.mk python.mk install.mk dist.mk)

clean: ## remove everything built
	rm -rf build

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

.PHONY: all ablate clean help
.SECONDARY:

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)
