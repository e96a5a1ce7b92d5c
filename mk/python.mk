# The library of the Python package looks for the libraries that it needs beside itself (python/hatch_build.py).
$(BUILD)/wheel/liblalparser.so: $(API_OBJ)
	@rm -rf $(@D) && mkdir -p $(@D)
	$(call start,link)
	$(Q)$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--no-undefined -Wl,--as-needed -Wl,-rpath,'$$ORIGIN' -o $@ $^ \
	    $(ALL_LDFLAGS) $(PKG_LIBS) -lm
	$(Q)strip $@
	$(Q)cp $$(ldd $@ | sed -n 's/.*\(utf8proc\|cjson\|pcre2-8\).* => \([^ ]*\) .*/\2/p') $(@D)

wheel: $(BUILD)/wheel/liblalparser.so ## the Python package with the library and en-small, to build/ (needs hatchling)
	@$(PYTHON) -c 'import hatchling' 2>/dev/null || { echo 'make wheel: found no hatchling in $(PYTHON), expected it: \
	pip install hatchling, ./setup --tests, or PYTHON=a python that has it' >&2; exit 1; }
	$(Q)rm -f build/lalparser-*.whl
	cd python && $(PYTHON) -m hatchling build -t wheel -d ../build

# The declarations of the Python package.
python/src/lalparser/_native.py: python/make_native.py include/lalparser.h
	$(Q)python3 $^ > $@.new && mv $@.new $@

.PHONY: wheel
