# lal: `make help` lists the targets. Switches: REAL=double SANITIZE=address,undefined DEBUG=1 CUDA=1; each builds
# in its own folder under build/. CC CXX NVCC CFLAGS CXXFLAGS NVCCFLAGS CPPFLAGS LDFLAGS PREFIX LIBDIR INCLUDEDIR
# BASHDIR ZSHDIR DESTDIR BLAS CUBLAS NCCL OBJCOPY PYTHON are yours.
.DEFAULT_GOAL := all
# All processors, and one more command while another waits for a disk or a pipe; -j says otherwise.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell echo $$(($$(nproc 2>/dev/null || echo 1) + 1)))
endif
# V=1 shows the commands
Q := $(if $(filter 1,$(V)),,@)
VERSION := $(shell sed -n 's/^\#define LAL_VERSION "\(.*\)"/\1/p' include/lalparser.h)

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
# g++ beside clang, too: the emulator clears the padding of arguments, which clang 14 cannot.
CXX := $(if $(findstring clang,$(CC)),g++,$(subst gcc,g++,$(CC)))
endif
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
SHARE := $(PREFIX)/share/lalparser
DOC := $(PREFIX)/share/doc/lalparser
PYTHON ?= python3
# CC=aarch64-linux-gnu-gcc has an archiver and an objcopy of the same prefix.
CROSS := $(patsubst %gcc,%,$(filter %-linux-gnu-gcc,$(CC)))
OBJCOPY ?= $(CROSS)objcopy
ifeq ($(origin AR),default)
AR := $(CROSS)ar
endif

VARIANT := default
ifeq ($(REAL),double)
VARIANT := $(VARIANT)-double
endif
ifneq ($(SANITIZE),)
comma := ,
VARIANT := $(VARIANT)-$(subst $(comma),-,$(SANITIZE))
endif
ifeq ($(DEBUG),1)
VARIANT := $(VARIANT)-debug
endif
ifneq ($(notdir $(CC)),gcc)
VARIANT := $(VARIANT)-$(patsubst %-linux-gnu-gcc,%,$(notdir $(CC)))
endif
# CUDA=1 adds files and changes none.
OBJ := build/$(VARIANT:default-%=%)/obj
ifeq ($(CUDA),1)
VARIANT := $(VARIANT)-cuda
endif
VARIANT := $(VARIANT:default-%=%)
BUILD := build/$(VARIANT)

TEXT_PKG := libutf8proc libcjson zlib
PKG_CFLAGS := $(shell pkg-config --cflags openblas $(TEXT_PKG) 2>/dev/null)
# OpenBLAS is loaded by this name or path when a command computes (tensor/cpu/blas.c); to build, its header is enough.
BLAS ?= libopenblas.so.0
TEXT_LIBS := $(shell pkg-config --libs $(TEXT_PKG) 2>/dev/null || echo -lutf8proc -lcjson -lz)
PKG_LIBS := $(TEXT_LIBS) -ldl

WARN := -std=c11 -Wno-psabi -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wwrite-strings
# What only tests run is compiled quickly. Places in the source are debug information enough, except for a debugger.
FOR_TESTS := $(or $(filter 1,$(DEBUG)),$(SANITIZE),$(filter double,$(REAL)))
OPT := $(if $(FOR_TESTS),-O1,-O3) $(if $(SANITIZE),-g1,$(if $(filter 1,$(DEBUG)),-g,-g1))
# The shared library has the same objects: what is hidden is reached in them as without -fPIC. Nothing that is built
# holds the name of this folder, so builds in two folders are equal.
OPT += -fPIC -fvisibility=hidden -ffile-prefix-map=$(CURDIR)=.
# Nobody asks errno about a root; if one could, loops with roots would not be vectorised.
OPT += -fno-math-errno
# Only kernels may contract (LEVELS), so that numbers do not depend on the build.
PORTABLE := -ffp-contract=off
# The names of POSIX, which -std=c11 alone hides.
ALL_CPPFLAGS := -I. -D_XOPEN_SOURCE=700 $(PKG_CFLAGS) -DLAL_DATADIR='"$(SHARE)"' \
	-DLAL_DOCDIR='"$(DOC)"' -DLAL_BLAS='"$(BLAS)"' $(CPPFLAGS)
ifeq ($(REAL),double)
ALL_CPPFLAGS += -DLAL_REAL_DOUBLE
endif
MACHINE := $(shell $(CC) -dumpmachine)
ifneq ($(filter aarch64%,$(MACHINE)),)
# gcc 12 has instructions for these there, and fails at -O3 on loops that take the largest of numbers in float by them.
OPT += -fno-builtin-fmax -fno-builtin-fmin
endif
COMMON_CFLAGS := $(WARN) $(OPT) -pthread $(CFLAGS)
ALL_CFLAGS = $(COMMON_CFLAGS) $(PORTABLE)
ALL_LDFLAGS := -pthread $(LDFLAGS)
ifneq ($(SANITIZE),)
COMMON_CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
ALL_LDFLAGS += -fsanitize=$(SANITIZE)
endif

# Levels of processors (tensor/cpu/level.h), the best one first, and the instructions of each; tensor/cpu/device.c asks
# the processor for just these.
ifneq ($(filter x86_64%,$(MACHINE)),)
LEVELS ?= x86-64-v4-bf16 x86-64-v4-vnni x86-64-v4 x86-64-v3-vnni x86-64-v3 x86-64
else ifneq ($(filter aarch64%,$(MACHINE)),)
LEVELS ?= neon-dotprod neon
else
LEVELS ?= base
endif
FLAGS_x86-64-v3 := -mavx2 -mfma
FLAGS_x86-64-v3-vnni := $(FLAGS_x86-64-v3) -mavxvnni
FLAGS_x86-64-v4 := $(FLAGS_x86-64-v3) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512
FLAGS_x86-64-v4-vnni := $(FLAGS_x86-64-v4) -mavx512vnni
FLAGS_x86-64-v4-bf16 := $(FLAGS_x86-64-v4-vnni) -mavx512bf16
FLAGS_neon-dotprod := -march=armv8.2-a+dotprod
# Activations are rounded alike on all levels.
CONTRACT_packed := off
level_symbol = cpu_level_$(subst -,_,$(1))
LEVEL_OBJ := $(LEVELS:%=$(OBJ)/tensor/cpu/level-%.o)

# CUDA=1: the files of tensor/cuda, by nvcc, which is looked for in PATH and where ./setup --cuda puts it. cuBLAS is
# loaded by this name or path when the device is started (tensor/cuda/blas.cu), or else from beside this nvcc.
TOOLKIT := build/cuda-toolkit/nvidia/cu13
NVCC ?= $(or $(shell command -v nvcc),$(wildcard $(TOOLKIT)/bin/nvcc),nvcc)
CUBLAS ?= libcublas.so.13
# The same for NCCL, when processes first sum what GPUs have (tensor/cuda/nccl.cu).
NCCL ?= libnccl.so.2
CU_SRC := $(wildcard tensor/cuda/*.cu)
CUDA_OBJ := $(patsubst %.cu,$(OBJ)/%.o,$(CU_SRC))
CUDA_LIBS = $(patsubst %,-L%,$(wildcard $(addprefix $(dir $(NVCC))../,lib lib64))) -lcudart_static -lrt
CUDA_CPPFLAGS = $(ALL_CPPFLAGS) -DLAL_NCCL='"$(NCCL)"' -DLAL_CUBLAS='"$(CUBLAS)"' -DLAL_CUBLAS_HERE='"$(firstword \
	$(abspath $(wildcard $(addprefix $(dir $(NVCC))../,lib/$(CUBLAS) lib64/$(CUBLAS)))) $(CUBLAS))"'
NVCC_FLAGS := -std=c++20 -O3 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90] \
	-Xcompiler -Wall,-Wextra,-fPIC,-fvisibility=hidden,-fno-exceptions,-fno-rtti,-fno-threadsafe-statics $(NVCCFLAGS)
# The same files as C++ for the device that the tests emulate (tests/cuda/emulator.h).
CXX_WARN := -std=c++20 -Wno-psabi -Wall -Wextra -Wpedantic -Wshadow -Wconversion
EMULATED := $(CXX_WARN) $(OPT) $(PORTABLE) -fPIE -fno-exceptions -fno-rtti -pthread $(CXXFLAGS)
ifneq ($(SANITIZE),)
EMULATED += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

# In the order of tests/check-includes.sh; the library of the parser is all of them.
LANGUAGES := $(patsubst %/,%,$(sort $(dir $(wildcard language/*.c language/*/*.c language/*/*/*.c))))
TREEBANK := treebank treebank/draw $(filter-out %/program,$(LANGUAGES))
TASKS := $(patsubst %/,%,$(sort $(dir $(wildcard parser/task/*/*.c))))
API_ROOMS := base $(TREEBANK) tensor tensor/cpu tensor/cuda lal/heads lal embeddings cky eval \
	$(addprefix parser/,task model parse output train heads) $(TASKS) parser/train/run explain/fast api
ROOMS := $(API_ROOMS) program/ablate explain serve
PROGRAMS := program eval/program $(filter %/program,$(LANGUAGES))
TEXT_ROOMS := base $(TREEBANK) eval
SRC := $(foreach r,$(ROOMS),$(wildcard $(r)/*.c))
# The server needs the header of libmicrohttpd; the library itself is loaded when it starts.
ifeq ($(shell pkg-config --exists libmicrohttpd && echo 1),1)
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
ENGLISH := $(OBJ)/language/english/text/segment_table $(OBJ)/language/english/ud/lemma_rules
PRESETS := $(OBJ)/parser/model/presets
VIEWER := $(OBJ)/viewer/viewer
SERVE_PAGE := $(OBJ)/serve/page
LIB_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(SRC)) $(LEVEL_OBJ) $(addsuffix .o,$(ENGLISH) $(PRESETS) $(VIEWER) $(SERVE_PAGE))
ifeq ($(CUDA),1)
LIB_OBJ += $(CUDA_OBJ)
endif
TEXT_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(foreach r,$(TEXT_ROOMS),$(wildcard $(r)/*.c))) $(addsuffix .o,$(ENGLISH))

# Tests: every tests/{unit,grad,oracle}/test_*.c is a cmocka program of its own.
TEST_SRC := $(wildcard tests/unit/test_*.c tests/grad/test_*.c tests/oracle/test_*.c tests/golden/test_*.c)
TEST_BIN := $(patsubst %.c,$(BUILD)/%,$(TEST_SRC))
GENERATOR_SRC := tests/support/make_treebank.c tests/support/make_tiny_models.c tests/support/corrupt_trees.c
GENERATORS := $(patsubst %.c,$(BUILD)/%,$(GENERATOR_SRC))
ifeq ($(CUDA),1)
# The device of the tests is a real one.
TEST_LIB := $(LIB_OBJ)
else
TEST_LIB := $(filter-out $(CUDA_OFF),$(LIB_OBJ)) $(patsubst %.cu,$(OBJ)/emulated/%.o,$(CU_SRC)) \
	$(patsubst %.cpp,$(OBJ)/%.o,$(filter-out tests/cuda/test_%,$(wildcard tests/cuda/*.cpp)))
TEST_BIN += $(patsubst %.cpp,$(BUILD)/%,$(wildcard tests/cuda/test_*.cpp))
# lal with an emulated GPU, for tests/cli/cuda.sh.
EMULATED_LAL := $(BUILD)/tests/cuda/lal
endif
SHARED_SRC := $(filter-out $(GENERATOR_SRC),$(wildcard tests/support/*.c)) tests/grad/cases.c \
	tests/grad/case_run.c
SHARED_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(SHARED_SRC))
# Test programs take what they call of these objects, and have debug information only with DEBUG=1 or sanitizers: as
# whole programs with it they would take 1.4 GB.
TEST_AR := $(BUILD)/tests/parts.a
TEST_LDFLAGS := $(ALL_LDFLAGS) $(if $(SANITIZE)$(filter 1,$(DEBUG)),,-Wl,--strip-debug)
# Programs of their own that run on the checking device (tests/support/checking_device.h) and on CUDA too.
ON_DEVICES := grad/test_gradients oracle/test_encoder_decoder oracle/test_label_attention oracle/test_transformer \
	unit/test_decoder_ops \
	unit/test_head_control unit/test_head_masks unit/test_memory unit/test_span_best unit/test_waits \
	unit/test_worked_numbers grad/test_pretrained_encoder grad/test_word_encoder
# Programs whose tolerance is 1e-9 or less where Real is double.
IN_DOUBLE := grad/test_gradients grad/test_pretrained_encoder grad/test_word_encoder golden/options_parity \
	oracle/test_encoder_decoder oracle/test_frozen oracle/test_joint oracle/test_marginals \
	$(addprefix unit/test_,closed_heads decoder_ops encoder_prune encoder_relevance guidance head_control gate_places \
	heads pretrained_relevance projected_attention pruned soft)
CHECKERS := $(patsubst %,$(BUILD)/tests/golden/%,reference_parity decode_parity train_decode_parity options_parity \
	encoder_parity seed_parity)
# Fuzz targets: with gcc a plain main replays and mutates the seeds; `make fuzz` builds them with clang's libFuzzer.
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ_BIN := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/tests/fuzz/%,$(FUZZ_SRC))
# Scripts of tests/cli whose only argument is the build folder.
CLI := $(filter-out harness library installed packaging,$(patsubst tests/cli/%.sh,%,$(wildcard tests/cli/*.sh)))
# expat checks pictures and pages.
UNIT_LIBS := $(shell pkg-config --libs cmocka expat 2>/dev/null || echo -lcmocka -lexpat)

all: $(BUILD)/lal $(BUILD)/evalb ## the programs (build/lal and build/evalb: the default variant's), the library

# A drop-in EVALB from base, treebank and eval alone, which keeps these free of BLAS.
$(BUILD)/evalb: $(OBJ)/eval/program/evalb.o $(TEXT_OBJ)
	@mkdir -p $(@D)
	@echo link $@
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(TEXT_LIBS) -lm
ifeq ($(VARIANT),default)
	@ln -sf default/evalb build/evalb
endif

# Trains the weights of sentence boundaries (models/README.md).
$(BUILD)/segment-train: $(OBJ)/language/english/program/segment_train.o $(TEXT_OBJ)
	@echo link $@
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(TEXT_LIBS) -lm

# TREEBANKS is a folder with ewt, gum-open, genia, craft and childes in it.
SEGMENT_LINES := $(foreach c,ewt gum-open genia craft childes,$(BUILD)/lines/$c)
$(BUILD)/lines/%: language/english/program/sentence_lines.py
	@mkdir -p $(@D)
	@test -d '$(TREEBANKS)/$*' || { echo 'make segment-weights TREEBANKS=FOLDER: no folder $(TREEBANKS)/$*'; exit 1; }
	$(Q)python3 $< $(if $(filter ewt gum-open,$*),$(TREEBANKS)/$*/train.conllu:$(TREEBANKS)/$*/raw/train,$(firstword \
	    $(wildcard $(TREEBANKS)/$*/train.conllu $(TREEBANKS)/$*/train.conllx))) > $@.new
	$(Q)mv $@.new $@

segment-weights: $(BUILD)/segment-train $(SEGMENT_LINES) ## weights of sentence boundaries from TREEBANKS=FOLDER
	cd $(BUILD)/lines && ../segment-train ewt gum-open genia=0.2 craft=0.2 childes=0.1 > weights.new
	$(Q)mv $(BUILD)/lines/weights.new language/english/text/segment.weights

# Learns the tables of lemmas (models/README.md).
$(BUILD)/lemma-train: $(patsubst %,$(OBJ)/language/english/program/lemma_%.o,train learn forms) $(TEXT_OBJ)
	@echo link $@
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(TEXT_LIBS) -lm

LEMMA_TRAIN = $(patsubst %,$(TREEBANKS)/%/train.conllu,ewt gum-open)
lemma-table: $(BUILD)/lemma-train ## tables of lemmas from TREEBANKS=FOLDER with ewt and gum-open in it
	$(BUILD)/lemma-train language/english/program/lemma_words.txt $(LEMMA_TRAIN) > $(BUILD)/lemma.rules
	$(Q)mv $(BUILD)/lemma.rules language/english/ud

lemma-test: $(BUILD)/lemma-train ## accuracy of lemmas on TREEBANKS=FOLDER
	$(Q)for f in ewt/dev ewt/test gum-open/dev gum-open/test; do \
	    $(BUILD)/lemma-train --test '$(TREEBANKS)'/$$f.conllu $(LEMMA_TRAIN) \
		> $(BUILD)/lemma-errors-$${f%/*}-$${f#*/}; done

$(BUILD)/lal: $(PROGRAM_OBJ) $(LIB_OBJ)
	@mkdir -p $(@D)
	@echo link $@
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(PKG_LIBS) -lm
ifeq ($(VARIANT),default)
	@ln -sf default/lal build/lal
endif

# The library: what api/ needs of the rooms that parse. liblalparser.a is one object whose only global names
# are those of include/lalparser.h, so it collides with no name of a program. It computes on the CPU in every build.
# Sanitizers have no library of their own.
API_SRC := $(filter $(SRC),$(foreach r,$(API_ROOMS),$(wildcard $(r)/*.c)))
API_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(wildcard api/*.c)) $(BUILD)/parts.a
SONAME := liblalparser.so.$(firstword $(subst ., ,$(VERSION)))
LIBS := $(BUILD)/liblalparser.a $(BUILD)/liblalparser.so.$(VERSION)
ifeq ($(SANITIZE),)
all: $(LIBS)
endif

$(BUILD)/parts.a: $(patsubst %.c,$(OBJ)/%.o,$(filter-out api/%,$(API_SRC))) $(LEVEL_OBJ) \
	$(if $(filter 1,$(CUDA)),$(CUDA_OFF)) $(addsuffix .o,$(ENGLISH) $(PRESETS))
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/liblalparser.a: $(API_OBJ)
	@echo link $@
	$(Q)$(CC) -r -nostdlib -o $(BUILD)/liblalparser.o $^
	$(Q)$(OBJCOPY) --localize-hidden $(BUILD)/liblalparser.o
	@rm -f $@
	$(Q)$(AR) rcs $@ $(BUILD)/liblalparser.o

$(BUILD)/liblalparser.so.$(VERSION): $(API_OBJ)
	@echo link $@
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--no-undefined -Wl,--as-needed -o $@ $^ $(ALL_LDFLAGS) $(PKG_LIBS) -lm
	@ln -sf liblalparser.so.$(VERSION) $(BUILD)/$(SONAME)
	@ln -sf $(SONAME) $(BUILD)/liblalparser.so

# The library of the Python package looks for the libraries that it needs beside itself (python/hatch_build.py).
$(BUILD)/wheel/liblalparser.so: $(API_OBJ)
	@rm -rf $(@D) && mkdir -p $(@D)
	@echo link $@
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--no-undefined -Wl,--as-needed -Wl,-rpath,'$$ORIGIN' -o $@ $^ \
	    $(ALL_LDFLAGS) $(PKG_LIBS) -lm
	$(Q)strip $@
	$(Q)cp $$(ldd $@ | sed -n 's/.*\(utf8proc\|cjson\).* => \([^ ]*\) .*/\2/p') $(@D)

wheel: $(BUILD)/wheel/liblalparser.so ## the Python package with the library and en-small, to build/ (needs hatchling)
	@$(PYTHON) -c 'import hatchling' 2>/dev/null || { echo 'make wheel: found no hatchling in $(PYTHON), expected it: \
	pip install hatchling, ./setup --tests, or PYTHON=a python that has it' >&2; exit 1; }
	$(Q)rm -f build/lalparser-*.whl
	cd python && $(PYTHON) -m hatchling build -t wheel -d ../build

# The declarations of the Python package.
python/src/lalparser/_native.py: python/make_native.py include/lalparser.h
	$(Q)python3 $^ > $@.new && mv $@.new $@

$(BUILD)/lalparser.pc: force
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))' \
	    'includedir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(INCLUDEDIR))' 'datadir=$${prefix}/share/lalparser' '' \
	    'Name: lalparser' \
	    'Description: English text to constituency and dependency trees' 'Version: $(VERSION)' \
	    'Requires.private: $(TEXT_PKG)' 'Libs: -L$${libdir} -llalparser' \
	    'Libs.private: -pthread -ldl -lm' 'Cflags: -I$${includedir}' > $@

# Loops of these would take longer than it takes to compile them so.
$(OBJ)/tensor/%.o $(OBJ)/cky/%.o: ALL_CFLAGS += $(if $(SANITIZE)$(filter double,$(REAL)),-O2)
$(OBJ)/tests/%.o: ALL_CFLAGS += $(if $(FOR_TESTS),,-O1 -g0)
# Sanitizers check each copy of an inlined function, and clang would take a minute for them.
$(OBJ)/level/%/product.o: COMMON_CFLAGS += $(if $(SANITIZE),-DINLINE=static)

$(OBJ)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo $(if $(filter %.o,$@),compile,link) $@
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The objects of one level as one, with one global name.
define LEVEL_RULES
$(OBJ)/level/$(1)/%.o: tensor/cpu/level/%.c Makefile
	@mkdir -p $$(@D)
	@echo compile $$@
	$$(Q)$$(CC) $$(ALL_CPPFLAGS) -DCPU_LEVEL='"$(1)"' -DCPU_LEVEL_SYMBOL=$(call level_symbol,$(1)) $$(COMMON_CFLAGS) \
	    $$(FLAGS_$(1)) -ffp-contract=$$(or $$(CONTRACT_$$*),fast) -MMD -MP -c -o $$@ $$<
$(OBJ)/tensor/cpu/level-$(1).o: $(patsubst tensor/cpu/level/%.c,$(OBJ)/level/$(1)/%.o,$(LEVEL_SRC))
	@mkdir -p $$(@D)
	@echo link $$@
	$$(Q)$$(CC) -r -nostdlib -o $$@ $$^
	$$(Q)$$(OBJCOPY) --keep-global-symbol=$(call level_symbol,$(1)) $$@
endef
LEVEL_SRC := $(wildcard tensor/cpu/level/*.c)
$(foreach l,$(LEVELS),$(eval $(call LEVEL_RULES,$(l))))
$(OBJ)/tensor/cpu/device.o: ALL_CPPFLAGS += -DCPU_LEVELS='$(foreach l,$(LEVELS),LEVEL($(call level_symbol,$(l))))'

ifeq ($(CUDA),1)
$(OBJ)/%.o: %.cu Makefile
	@mkdir -p $(@D)
	@echo compile $@
	$(Q)$(NVCC) $(CUDA_CPPFLAGS) $(NVCC_FLAGS) -MMD -MP -c -o $@ $<
endif

$(OBJ)/emulated/%.o: %.cu Makefile
	@mkdir -p $(@D)
	@echo compile $@
	$(Q)$(CXX) $(CUDA_CPPFLAGS) $(EMULATED) -O1 -include tests/cuda/emulator.h -MMD -MP -x c++ -c -o $@ $<

$(OBJ)/tests/cuda/%.o: tests/cuda/%.cpp Makefile
	@mkdir -p $(@D)
	@echo compile $@
	$(Q)$(CXX) $(CUDA_CPPFLAGS) $(EMULATED) -MMD -MP -c -o $@ $<

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

$(SERVE_PAGE).c: serve/page.html serve/openapi.json docs/parse.schema.json base/embed.sh
	$(EMBED) serve/page.h PAGE_HTML=$< PAGE_OPENAPI=$(word 2,$^) PAGE_SCHEMA=$(word 3,$^) > $@

$(OBJ)/language/english/ud/lemma_rules.c: language/english/ud/lemma_table.awk language/english/ud/lemma.rules
	@mkdir -p $(@D)
	@awk -f $^ > $@

$(PRESETS).c: parser/model/presets.sh $(wildcard models/presets/*.json)
	@mkdir -p $(@D)
	@$^ > $@

$(addsuffix .o,$(ENGLISH) $(PRESETS) $(VIEWER) $(SERVE_PAGE)): %.o: %.c Makefile
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -Wno-overlength-strings -MMD -MP -c -o $@ $<

# Wrappers of all kernels for the checking device of the tests.
$(OBJ)/check_kernels.h: tests/support/check_kernels.awk tensor/kernels.def
	@mkdir -p $(@D)
	@awk -f $< tensor/kernels.def > $@.new && mv $@.new $@

$(OBJ)/tests/support/checking_device.o: $(OBJ)/check_kernels.h
$(OBJ)/tests/support/checking_device.o: ALL_CPPFLAGS += -I$(OBJ)

# What tests/cuda/run runs on a GPU; prints the programs that run on all devices.
device-tests: $(BUILD)/lal $(CHECKERS) $(GENERATORS) $(addprefix $(BUILD)/tests/,$(ON_DEVICES))
	@printf '%s\n' $(addprefix $(BUILD)/tests/,$(ON_DEVICES))

golden-checkers: $(CHECKERS) ## programs that check folders of recorded numbers

$(TEST_AR): $(TEST_LIB) $(SHARED_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcsT $@ $^

$(CHECKERS): $(BUILD)/tests/golden/%: $(OBJ)/tests/golden/%.o $(TEST_AR)
	@mkdir -p $(@D)
	@echo link $@
	$(Q)$(CC) -o $@ $(filter %.o,$^) $(TEST_AR) $(TEST_LDFLAGS) $(PKG_LIBS) -lstdc++ -lm

$(BUILD)/tests/golden/encoder_parity: $(patsubst %.c,$(OBJ)/%.o,$(filter-out %_parity.c,$(wildcard \
	tests/golden/encoder_*.c)))
$(BUILD)/tests/golden/options_parity: $(patsubst %.c,$(OBJ)/%.o,$(wildcard tests/golden/options_*.c))
$(BUILD)/tests/golden/seed_parity: $(patsubst %.c,$(OBJ)/%.o,$(wildcard tests/golden/seed_*.c))

$(TEST_BIN) $(GENERATORS): $(BUILD)/%: $(OBJ)/%.o $(TEST_AR)
	@mkdir -p $(@D)
	@echo link $@
	$(Q)$(CC) -o $@ $^ $(TEST_LDFLAGS) $(UNIT_LIBS) $(PKG_LIBS) -lstdc++ -lm

$(BUILD)/tests/cuda/lal: $(PROGRAM_OBJ) $(TEST_AR)
	@mkdir -p $(@D)
	@echo link $@
	$(Q)$(CC) -o $@ $^ $(TEST_LDFLAGS) $(PKG_LIBS) -lstdc++ -lm

# Each test is a target, so they run side by side, and one of them runs as `make test/unit/test_parse`,
# test/checking/grad/test_gradients (on the checking device) or test/cli/prune. It prints only when something fails; a
# run that hangs is stopped.
RUN := tests/run-quietly.sh
PROGRAMS_OF_TESTS := $(patsubst $(BUILD)/tests/%,%,$(CHECKERS) $(TEST_BIN))
ARGUMENTS_reference_parity := --all tests/golden/reference
ARGUMENTS_decode_parity := tests/golden/decode
ARGUMENTS_train_decode_parity := tests/golden/train-decode
ARGUMENTS_options_parity := --all tests/golden/encoder-options
ARGUMENTS_encoder_parity := tests/golden/encoders
ARGUMENTS_seed_parity := tests/golden/seed-tasks
# On each level of the CPU but the best one, on which all tests run.
ifeq ($(REAL),double)
ON_LEVELS := grad/test_gradients
else
ON_LEVELS := golden/reference_parity golden/options_parity
endif
LEVELED := $(foreach l,$(LEVELS),$(ON_LEVELS:%=test/level/$(l)/%))
CHECKED := $(addprefix test/checking/,golden/reference_parity golden/options_parity $(ON_DEVICES))
EMULATED_RUNS := $(CHECKED:test/checking/%=test/cuda/%) test/cuda/unit/test_device_parser
FUZZ_RUNS := $(FUZZ_BIN:$(BUILD)/tests/%=test/%)
CLI_RUNS := $(addprefix test/cli/,$(if $(SANITIZE),$(filter-out cuda bench,$(CLI)),$(CLI)))
TRAINERS := $(BUILD)/segment-train $(BUILD)/lemma-train
ifeq ($(CUDA),1)
# What differs from the build without CUDA; on a machine with a GPU tests/cuda/run does more.
RUNS := test/unit/test_device test/unit/test_device_parser $(addprefix test/cli/,bench device parse)
else
# First what runs longest, so that no processor waits for it at the end. Without sanitizers, clang runs no programs on
# other devices: g++ compiles the kernels of CUDA in all builds, and of the paths for devices with memory of their own
# unit/test_device_parser, unit/test_waits, cuda/test_cuda_device and cli/cuda run. With sanitizers, the checking device
# hides memory from AddressSanitizer: the CPU has the same kernels, emulated CUDA the same paths.
RUNS := $(if $(filter default,$(VARIANT)),test/site test/double leveled)
RUNS += $(if $(SANITIZE),$(EMULATED_RUNS),$(if $(findstring clang,$(CC)),,$(EMULATED_RUNS) $(CHECKED)) test/installed)
RUNS += $(CLI_RUNS) $(PROGRAMS_OF_TESTS:%=test/%) $(FUZZ_RUNS) test/evalb
endif
ifneq ($(SANITIZE),)
test/cuda/unit/test_device_parser: export TEST_ONLY := *trains_alike
endif
ifeq ($(REAL),double)
test/unit/test_soft test/grad/test_gradients test/cuda/grad/test_gradients: export TEST_ONLY := gradients_*
endif
.PHONY: wheel leveled $(PROGRAMS_OF_TESTS:%=test/%) $(LEVELED) $(CHECKED) $(EMULATED_RUNS) $(FUZZ_RUNS) $(CLI_RUNS) \
	$(RUNS)

test: check-includes check-names $(RUNS) ## run the tests, offline, side by side

$(PROGRAMS_OF_TESTS:%=test/%): test/%: $(BUILD)/tests/%
	@$(RUN) $< $(ARGUMENTS_$(notdir $*))
define LEVEL_RUNS
$(ON_LEVELS:%=test/level/$(1)/%): export TEST_ONLY := gradients_*
$(ON_LEVELS:%=test/level/$(1)/%): test/level/$(1)/%: $(BUILD)/tests/% build/default/lal
	@case "$$$$(build/default/lal model info --devices)" in \
	*"kernels for $(1)"[\ \;]*) ;; \
	*" $(1)"[,\)]*) echo $$@; LAL_CPU=$(1) $(RUN) $$< $$(ARGUMENTS_$$(notdir $$*)) ;; \
	*) echo "skip  $$@: this processor lacks it" ;; \
	esac
endef
$(foreach l,$(LEVELS),$(eval $(call LEVEL_RUNS,$(l))))
$(CHECKED): test/checking/%: $(BUILD)/tests/%
	@TEST_DEVICE=checking $(RUN) $< $(ARGUMENTS_$(notdir $*))
$(EMULATED_RUNS): test/cuda/%: $(BUILD)/tests/%
	@TEST_DEVICE=cuda $(RUN) $< $(ARGUMENTS_$(notdir $*))
$(FUZZ_RUNS): test/fuzz/%: $(BUILD)/tests/fuzz/%
	@$(RUN) $< tests/fuzz/seeds/$* $(if $(filter round_trip,$*),600)
$(CLI_RUNS): test/cli/%: tests/cli/%.sh all $(GENERATORS) $(TRAINERS) $(EMULATED_LAL)
	@$(RUN) $< $(BUILD)
test/evalb: $(BUILD)/evalb $(GENERATORS)
	@$(RUN) tests/golden/evalb_parity.sh $(BUILD)/evalb tests/golden/evalb
	@$(RUN) tests/golden/evalb_corruptions.sh $(BUILD)
test/installed: all
	@rm -rf $(BUILD)/installed && mkdir -p $(BUILD)/installed$(PREFIX)/bin && touch $(BUILD)/installed$(PREFIX)/bin/other
	@$(MAKE) -s install DESTDIR=$(CURDIR)/$(BUILD)/installed
	@$(RUN) tests/cli/library.sh $(BUILD) $(CURDIR)/$(BUILD)/installed $(PREFIX) $(LIBDIR)
	@$(RUN) tests/cli/installed.sh $(BUILD) $(CURDIR)/$(BUILD)/installed $(PREFIX)
	@$(RUN) tests/cli/packaging.sh $(BUILD) $(CURDIR)/$(BUILD)/installed $(PREFIX) $(LIBDIR)
	@$(MAKE) -s uninstall DESTDIR=$(CURDIR)/$(BUILD)/installed
	@$(RUN) test "$$(cd $(BUILD)/installed$(PREFIX) && echo $$(find .))" = '. ./bin ./bin/other'
test/double: build/default/lal
	@$(MAKE) -s REAL=double $(IN_DOUBLE:%=test/%) test/cuda/grad/test_gradients leveled
leveled: $(LEVELED)
test/site: all
	@$(RUN) tests/site/run.sh $(BUILD)

# What the kernels of 64-bit ARM compute, on both of their levels, emulated by qemu. ARM64 is a Debian system for ARM of
# libraries alone.
ARM64 := build/aarch64-root
ON_ARM64 := QEMU_LD_PREFIX=$(ARM64) QEMU_SET_ENV=LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu/openblas-pthread
MAKE_ARM64 = $(ON_ARM64) UNDER=qemu-aarch64 TEST_LIMIT=600 PKG_CONFIG_SYSROOT_DIR=$(ARM64) \
	PKG_CONFIG_LIBDIR=$(ARM64)/usr/lib/aarch64-linux-gnu/pkgconfig $(MAKE) -s CC=aarch64-linux-gnu-gcc \
	$(addsuffix =--sysroot=$(ARM64),CFLAGS CXXFLAGS LDFLAGS) \
	CPPFLAGS=-I$(ARM64)/usr/include/aarch64-linux-gnu/openblas-pthread
NEON_TESTS := $(addprefix unit/test_,small packed tensor span_best) \
	$(addprefix oracle/test_,decode label_attention transformer) $(ON_LEVELS)
neon: build/default/lal ## tests of the kernels for 64-bit ARM, emulated by qemu; ./setup --arm64 comes first
	@test -d $(ARM64) || { echo 'make neon: no folder $(ARM64), which ./setup --arm64 makes'; exit 1; }
	+@$(MAKE_ARM64) build/aarch64/lal $(NEON_TESTS:%=test/%)
	+@LAL_CPU=neon $(MAKE_ARM64) $(ON_LEVELS:%=test/%)
	+@$(MAKE_ARM64) REAL=double test/grad/test_gradients
	@build/default/lal parse examples/news.txt > build/aarch64/expected
	@for l in neon-dotprod neon; do echo "parse on $$l"; LAL_CPU=$$l $(ON_ARM64) qemu-aarch64 build/aarch64/lal parse \
	    examples/news.txt | cmp - build/aarch64/expected || exit 1; done

$(BUILD)/tests/fuzz/%: $(OBJ)/tests/fuzz/fuzz_%.o $(OBJ)/tests/fuzz/replay.o $(TEST_AR)
	@mkdir -p $(@D)
	@echo link $@
	$(Q)$(CC) -o $@ $^ $(TEST_LDFLAGS) $(PKG_LIBS) -lstdc++ -lm

SECONDS_EACH ?= 60
fuzz: ## fuzz every reader for SECONDS_EACH seconds with clang; findings go to build/fuzz
	tests/fuzz/run.sh $(SECONDS_EACH)

$(BUILD)/tests/bench/ops: $(OBJ)/tests/bench/ops.o $(TEST_AR)
	@mkdir -p $(@D)
	@echo link $@
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(PKG_LIBS) -lstdc++ -lm

# Scores what is learnt of a treebank (docs/LANGUAGES.md).
$(BUILD)/tests/bench/segmentation: $(OBJ)/tests/bench/segmentation.o $(TEXT_OBJ)
	@mkdir -p $(@D)
	@echo link $@
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(TEXT_LIBS) -lm

bench: all $(BUILD)/tests/bench/ops ## speed and memory of the program and of each op, JSON lines
	$(BUILD)/lal bench
	OPENBLAS_NUM_THREADS=1 $(BUILD)/tests/bench/ops

PLAN ?= reduced
ABLATION ?= $(BUILD)/ablation/$(PLAN)
DATA_SET = --$(1) $(DATA)/$(1).trees --$(1)-deps $(firstword $(wildcard $(DATA)/$(1).conllx $(DATA)/$(1).conllu))
ablate: all ## ablation PLAN=NAME (reduced) on DATA=FOLDER, train, dev and test .trees and .conllx (docs/ABLATION.md)
	@test -e '$(DATA)/train.trees' || { echo 'make ablate DATA=FOLDER: no file $(DATA)/train.trees'; exit 1; }
	@mkdir -p $(dir $(ABLATION))
	$(BUILD)/lal ablate $(PLAN) --out $(ABLATION) $(foreach s,train dev test,$(call DATA_SET,$(s)))

$(BUILD)/tests/bench/growth: $(OBJ)/tests/bench/growth.o
	@mkdir -p $(@D)
	@echo link $@
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) -lm

growth: all $(BUILD)/tests/bench/growth ## how the time of each command grows; WORD=evalb: rows with it
	$(BUILD)/tests/bench/growth $(BUILD)/lal models/en-small.lal models/en-base.lal models/headrules $(WORD)

KILLS ?= 50
kills: all $(BUILD)/tests/support/make_treebank ## KILLS=N (50) kills of train, ablate, classify, pretrain, prune each
	python3 tests/bench/kills.py $(BUILD) $(KILLS)

$(BUILD)/lal.1: $(BUILD)/lal
	$(BUILD)/lal help manual > $@

$(BUILD)/completion.%: $(BUILD)/lal
	$(BUILD)/lal help --completion $* > $@

# What is installed: FOLDER=FILE ...
into = $(addprefix $(1)=,$(2))
# Scripts for users of the program; the others are steps of the models.
RECIPES := $(addprefix recipes/,genia.py launch.py plot_log.py sinica.py)
INSTALLED := $(call into,$(PREFIX)/bin,$(BUILD)/lal $(BUILD)/evalb) \
	$(call into,$(SHARE),$(wildcard models/*.lal) docs/parse.schema.json) \
	$(call into,$(SHARE)/headrules,$(wildcard models/headrules/*.rules)) \
	$(call into,$(SHARE)/evalb,$(wildcard models/evalb/*.prm)) \
	$(call into,$(SHARE)/plans,$(wildcard models/plans/*.json)) \
	$(call into,$(SHARE)/examples,$(filter-out %__pycache__ %/many,$(wildcard examples/*))) \
	$(call into,$(SHARE)/examples/many,$(filter-out %__pycache__,$(wildcard examples/many/*))) \
	$(call into,$(SHARE)/recipes,$(RECIPES)) \
	$(call into,$(DOC),LICENSE README.md) \
	$(call into,$(DOC)/docs,$(filter-out docs/history,$(wildcard docs/*))) \
	$(call into,$(DOC)/docs/history,$(wildcard docs/history/*)) \
	$(call into,$(DOC)/models,models/README.md) \
	$(call into,$(DOC)/models/licenses,$(wildcard models/licenses/*)) \
	$(call into,$(PREFIX)/share/man/man1,$(BUILD)/lal.1) \
	$(call into,$(INCLUDEDIR),include/lalparser.h) \
	$(call into,$(LIBDIR),$(LIBS)) \
	$(call into,$(LIBDIR)/pkgconfig,$(BUILD)/lalparser.pc)
folder_of = $(firstword $(subst =, ,$(1)))
file_of = $(lastword $(subst =, ,$(1)))
target_of = $(DESTDIR)$(call folder_of,$(1))/$(notdir $(call file_of,$(1)))
mode_of = $(if $(filter $(BUILD)/lal $(BUILD)/evalb $(RECIPES) %.so.$(VERSION),$(call file_of,$(1))),755,644)
FOLDERS := $(sort $(foreach f,$(INSTALLED),$(call folder_of,$f)) $(BASHDIR) $(ZSHDIR))
OWN_FOLDERS := $(filter $(SHARE) $(SHARE)/% $(DOC) $(DOC)/%,$(FOLDERS))
above = $(if $(1),$(call above,$(patsubst %/,%,$(dir $(1)))) $(1))
COMPLETION := $(addprefix $(BUILD)/completion.,bash zsh)
# The folders that install has made, which uninstall removes.
MADE := $(DESTDIR)$(DOC)/folders
install: all $(LIBS) $(COMPLETION) $(BUILD)/lal.1 $(BUILD)/lalparser.pc ## install below DESTDIR PREFIX (/usr/local)
	@mkdir -p $(DESTDIR)/ && for d in $(foreach d,$(FOLDERS),$(call above,$d)); do [ -d $(DESTDIR)$$d ] || \
	    { mkdir $(DESTDIR)$$d && echo $$d; } || exit 1; done > $(BUILD)/folders && cat $(BUILD)/folders >> $(MADE)
	$(foreach f,$(INSTALLED),install -m $(call mode_of,$f) $(call file_of,$f) $(call target_of,$f) && ) true
	echo .so man1/lal.1 > $(DESTDIR)$(PREFIX)/share/man/man1/evalb.1
	install -m 644 $(BUILD)/completion.bash $(DESTDIR)$(BASHDIR)/lal
	install -m 644 $(BUILD)/completion.zsh $(DESTDIR)$(ZSHDIR)/_lal
	ln -sf liblalparser.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/liblalparser.so
ifeq ($(DESTDIR),)
	@ldconfig 2>/dev/null || echo "programs find $(SONAME) after ldconfig (as root), or with" \
	    "LD_LIBRARY_PATH=$(LIBDIR)"
endif

uninstall: ## remove what install put there, and folders that it has made, if nothing else is in them
	rm -f $(foreach f,$(INSTALLED),$(call target_of,$f)) $(addprefix $(DESTDIR),$(PREFIX)/share/man/man1/evalb.1 \
	    $(BASHDIR)/lal $(ZSHDIR)/_lal $(LIBDIR)/$(SONAME) $(LIBDIR)/liblalparser.so)
	@made=$$(cat $(MADE) 2>/dev/null); rm -f $(MADE); printf '%s\n' $$made $(OWN_FOLDERS) | sort -ru | while read -r d; \
	do [ ! -d $(DESTDIR)$$d ] || rmdir $(DESTDIR)$$d 2>/dev/null || echo "$$d stays: other files are in it"; done

empty :=
space := $(empty) $(empty)
TIDY_CHECKS := -checks=-*,clang-analyzer-*,bugprone-*,-clang-analyzer-security.insecureAPI.*,\
	-clang-analyzer-valist.*,-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions,\
	-bugprone-reserved-identifier,-bugprone-macro-parentheses
# Of the kernels of CUDA, which clang does not compile as such, only that products of sizes are formed in 64 bits.
TIDY_CUDA := -checks=-*,bugprone-implicit-widening-of-multiplication-result
lint: check-names check-lines ## exported names, long lines, and clang-tidy over the sources
	clang-tidy -quiet '$(subst $(space),,$(TIDY_CHECKS))' \
	    $(SRC) $(PROGRAM_SRC) -- $(ALL_CPPFLAGS) -std=c11 -DCPU_LEVELS='LEVEL(cpu_level_base)'
	clang-tidy -quiet '$(TIDY_CUDA)' $(CU_SRC) -- -x c++ $(CUDA_CPPFLAGS) -std=c++20 -include tests/cuda/emulator.h

format: ## clang-format over the sources, in place
	$(Q)clang-format -i $(wildcard $(addsuffix /*.[ch],$(ROOMS) $(PROGRAMS) include examples) tests/*/*.[ch] \
	    tensor/cuda/*.cu tests/cuda/*.cpp)

leakcheck: all $(BUILD)/tests/support/make_treebank ## valgrind on one parse and on a few training steps
	tests/leakcheck.sh $(BUILD)

threadcheck: ## ThreadSanitizer on parsing by many threads, through the library and below it, and on lal serve
	@$(MAKE) SANITIZE=thread $(addprefix build/thread/,lal tests/unit/test_api_calls tests/unit/test_document)
	@$(RUN) build/thread/tests/unit/test_api_calls
	@$(RUN) build/thread/tests/unit/test_document
	@$(RUN) tests/cli/serve.sh build/thread

clean: ## remove everything built
	rm -rf build

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

.PHONY: force all test fuzz bench ablate growth install uninstall lint format leakcheck neon threadcheck clean help \
	golden-checkers device-tests check-includes check-lines check-names segment-weights \
	lemma-table lemma-test kills
.SECONDARY:

check-names: all ## list exported names without a prefix of their module
	@tests/check-names.sh $(OBJ)

check-lines: ## list lines of more than 120 columns
	@tests/check-lines.sh

check-includes: ## list includes that point down the table of rooms, and circles between files
	@tests/check-includes.sh

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)
