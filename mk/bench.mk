# Measurements of speed, of memory, of growth, and of what a kill leaves.

$(BUILD)/tests/bench/ops: $(OBJ)/tests/bench/ops.o $(TEST_AR)
	$(call start,link)
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(PKG_LIBS) -lstdc++ -lm

# Scores what is learnt of a treebank (docs/LANGUAGES.md).
$(BUILD)/tests/bench/segmentation: $(OBJ)/tests/bench/segmentation.o $(TEXT_OBJ)
	$(call start,link)
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(TEXT_LIBS) -lm

bench: all $(BUILD)/tests/bench/ops ## speed and memory of the program and of each op, JSON lines
	$(BUILD)/lal bench
	OPENBLAS_NUM_THREADS=1 $(BUILD)/tests/bench/ops

$(BUILD)/tests/bench/growth: $(OBJ)/tests/bench/growth.o
	$(call start,link)
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) -lm

growth: all $(BUILD)/tests/bench/growth ## how the time of each command grows; WORD=evalb: rows with it
	$(BUILD)/tests/bench/growth $(BUILD)/lal models/en-small.lal models/en-base.lal models/headrules $(WORD)

KILLS ?= 50
kills: all $(BUILD)/tests/support/make_treebank ## KILLS=N (50) kills of train, ablate, classify, pretrain, prune each
	python3 tests/bench/kills.py $(BUILD) $(KILLS)

.PHONY: bench growth kills
