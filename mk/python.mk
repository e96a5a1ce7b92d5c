# The library of the Python package looks for the libraries that it needs beside itself (python/hatch_build.py); those
# of mk/wheels.mk it has in itself.
$(BUILD)/wheel/liblalparser.so: $(API_OBJ) $(filter %.a,$(PKG_LIBS))
	@rm -rf $(@D) && mkdir -p $(@D)
	$(call start,link)
	$(Q)$(CC) -shared -s $(SO_FLAGS) -Wl,-rpath,'$$ORIGIN' -o $@ $^ $(ALL_LDFLAGS) \
	    $(filter-out %.a,$(PKG_LIBS)) -lm
	$(Q)$(if $(filter %.a,$(PKG_LIBS)),,cp $$(ldd $@ | \
	    sed -n 's/.*\(utf8proc\|cjson\|pcre2-8\).* => \([^ ]*\) .*/\2/p') $(@D))

has-hatchling:
	@mkdir -p build/wheels # which several hatchlings would make at the same time
	@$(PYTHON) -c 'import hatchling' 2>/dev/null || { echo 'make wheel: found no hatchling in $(PYTHON), expected it: \
	pip install hatchling, ./setup --tests, or PYTHON=a python that has it' >&2; exit 1; }
HATCH = $(PYTHON) -m hatchling build -t $(1) -d $(CURDIR)/build/wheels

wheel: $(BUILD)/wheel/liblalparser.so has-hatchling ## the Python package with the library and en-small, to build/
	$(Q)rm -f build/lalparser-*.whl
	$(PYTHON) -m hatchling build -t wheel -d build

# The declarations of the Python package.
python/src/lalparser/_native.py: python/make_native.py include/lalparser.h
	$(Q)python3 $^ > $@.new && mv $@.new $@

.PHONY: wheel has-hatchling
