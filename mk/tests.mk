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
	$(addprefix unit/test_,decoder_ops encoder_prune encoder_relevance guidance head_control gate_places \
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
	$(call start,link)
	$(Q)$(CC) -o $@ $(filter %.o,$^) $(TEST_AR) $(TEST_LDFLAGS) $(PKG_LIBS) -lstdc++ -lm

$(BUILD)/tests/golden/encoder_parity: $(patsubst %.c,$(OBJ)/%.o,$(filter-out %_parity.c,$(wildcard \
	tests/golden/encoder_*.c)))
$(BUILD)/tests/golden/options_parity: $(patsubst %.c,$(OBJ)/%.o,$(wildcard tests/golden/options_*.c))
$(BUILD)/tests/golden/seed_parity: $(patsubst %.c,$(OBJ)/%.o,$(wildcard tests/golden/seed_*.c))

$(TEST_BIN) $(GENERATORS): $(BUILD)/%: $(OBJ)/%.o $(TEST_AR)
	$(call start,link)
	$(Q)$(CC) -o $@ $^ $(TEST_LDFLAGS) $(UNIT_LIBS) $(PKG_LIBS) -lstdc++ -lm

$(BUILD)/tests/cuda/lal: $(PROGRAM_OBJ) $(TEST_AR)
	$(call start,link)
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
# With sanitizers, not what is Python over commands that cli/score and cli/train run, and all may take longer.
CLI_RUNS := $(addprefix test/cli/,$(if $(SANITIZE),$(filter-out ablate bench cuda,$(CLI)),$(CLI)))
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
export TEST_LIMIT ?= 600
test/cuda/unit/test_device_parser: export TEST_ONLY := *trains_alike
endif
ifeq ($(REAL),double)
test/unit/test_soft test/grad/test_gradients test/cuda/grad/test_gradients: export TEST_ONLY := gradients_*
endif
.PHONY: test fuzz fuzz-sources device-tests golden-checkers leveled $(PROGRAMS_OF_TESTS:%=test/%) $(LEVELED) \
	$(CHECKED) $(EMULATED_RUNS) $(FUZZ_RUNS) $(CLI_RUNS) $(RUNS)

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

$(BUILD)/tests/fuzz/%: $(OBJ)/tests/fuzz/fuzz_%.o $(OBJ)/tests/fuzz/replay.o $(TEST_AR)
	$(call start,link)
	$(Q)$(CC) -o $@ $^ $(TEST_LDFLAGS) $(PKG_LIBS) -lstdc++ -lm

SECONDS_EACH ?= 60
fuzz: ## fuzz every reader for SECONDS_EACH seconds with clang; findings go to build/fuzz
	tests/fuzz/run.sh $(SECONDS_EACH)

# What is compiled with each target: what needs no data that is made into sources.
fuzz-sources:
	@echo $(filter-out serve/%,$(SRC)) $(LEVEL_SRC) tests/support/tiny.c

leakcheck: all $(BUILD)/tests/support/make_treebank ## valgrind on one parse and on a few training steps
	tests/leakcheck.sh $(BUILD)

threadcheck: ## ThreadSanitizer on parsing by many threads, through the library and below it, and on lal serve
	@$(MAKE) SANITIZE=thread $(addprefix build/thread/,lal tests/unit/test_api_calls tests/unit/test_document)
	@$(RUN) build/thread/tests/unit/test_api_calls
	@$(RUN) build/thread/tests/unit/test_document
	@$(RUN) tests/cli/serve.sh build/thread

.PHONY: leakcheck threadcheck
