# What is installed, and where.
$(BUILD)/lal.1: $(BUILD)/lal
	$(BUILD)/lal help manual > $@

$(BUILD)/completion.%: $(BUILD)/lal
	$(BUILD)/lal help --completion $* > $@

# What is installed: FOLDER=FILE ...
into = $(addprefix $(1)=,$(2))
# Scripts for users of the program; the others are steps of the models.
RECIPES := $(addprefix recipes/,ablate.py genia.py launch.py plot_log.py sinica.py)
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
mode_of = $(if $(filter $(BUILD)/lal $(BUILD)/evalb recipes/%.py $(BUILD)/$(SO_FILE),$(call file_of,$(1))),755,644)
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
	ln -sf $(SO_FILE) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/$(SO)
ifeq ($(DESTDIR),)
	@ldconfig 2>/dev/null || echo "programs find $(SONAME) after ldconfig (as root), or with" \
	    "LD_LIBRARY_PATH=$(LIBDIR)"
endif

uninstall: ## remove what install put there, and folders that it has made, if nothing else is in them
	rm -f $(foreach f,$(INSTALLED),$(call target_of,$f)) $(addprefix $(DESTDIR),$(PREFIX)/share/man/man1/evalb.1 \
	    $(BASHDIR)/lal $(ZSHDIR)/_lal $(LIBDIR)/$(SONAME) $(LIBDIR)/$(SO))
	@made=$$(cat $(MADE) 2>/dev/null); rm -f $(MADE); printf '%s\n' $$made $(OWN_FOLDERS) | sort -ru | while read -r d; \
	do [ ! -d $(DESTDIR)$$d ] || rmdir $(DESTDIR)$$d 2>/dev/null || echo "$$d stays: other files are in it"; done

$(BUILD)/lalparser.pc: force
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))' \
	    'includedir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(INCLUDEDIR))' 'datadir=$${prefix}/share/lalparser' '' \
	    'Name: lalparser' \
	    'Description: English text to constituency and dependency trees' 'Version: $(VERSION)' \
	    'Requires.private: $(TEXT_PKG) libpcre2-8' 'Libs: -L$${libdir} -llalparser' \
	    'Libs.private: -pthread -ldl -lm' 'Cflags: -I$${includedir}' > $@

.PHONY: force install uninstall
