# What is learnt for English: the data of language/english/text and language/english/ud (models/README.md).

# Trains the weights of sentence boundaries.
$(BUILD)/segment-train: $(OBJ)/language/english/program/segment_train.o $(TEXT_OBJ)
	$(call start,link)
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
	cd $(BUILD)/lines && ../segment-train $(CURDIR)/language/english/program/abbreviations.txt ewt gum-open genia=0.2 \
	    craft=0.2 childes=0.1 > weights.new
	$(Q)mv $(BUILD)/lines/weights.new language/english/text/segment.weights

# Learns the tables of lemmas.
$(BUILD)/lemma-train: $(patsubst %,$(OBJ)/language/english/program/lemma_%.o,train learn forms) $(TEXT_OBJ)
	$(call start,link)
	$(Q)$(CC) -o $@ $^ $(ALL_LDFLAGS) $(TEXT_LIBS) -lm

LEMMA_TRAIN = $(patsubst %,$(TREEBANKS)/%/train.conllu,ewt gum-open)
# Which words there are; column 6 of LEMMA_TRAIN has Typo=Yes as it was released.
LEMMA_MORE = $(wildcard $(foreach c,craft genia childes masc,$(TREEBANKS)/$c/train.conllu $(TREEBANKS)/$c/train.conllx))
lemma-table: $(BUILD)/lemma-train ## tables of lemmas from TREEBANKS=FOLDER with ewt and gum-open in it
	$(BUILD)/lemma-train language/english/program/lemma_words.txt $(LEMMA_TRAIN) -- $(LEMMA_MORE) > $(BUILD)/lemma.rules
	$(Q)mv $(BUILD)/lemma.rules language/english/ud

lemma-test: $(BUILD)/lemma-train ## accuracy of lemmas on TREEBANKS=FOLDER
	$(Q)for f in ewt/dev ewt/test gum-open/dev gum-open/test; do \
	    $(BUILD)/lemma-train --test '$(TREEBANKS)'/$$f.conllu $(LEMMA_TRAIN) \
		> $(BUILD)/lemma-errors-$${f%/*}-$${f#*/}; done

.PHONY: segment-weights lemma-table lemma-test
