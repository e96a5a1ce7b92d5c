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

# Other versions of clang-format place some lines otherwise.
FORMAT_VERSION := 14
FORMATTED = $(wildcard $(addsuffix /*.[ch],$(ROOMS) $(PROGRAMS) include examples wasm) tests/*/*.[ch] tensor/cuda/*.cu \
	tests/cuda/*.cpp)
format: ## clang-format over the sources, in place
	$(Q)clang-format -i $(FORMATTED)

check: check-includes check-lines check-names check-format check-shell ## all checks of sources, which run nothing

check-format: ## list lines that clang-format would change
	@case $$(clang-format --version 2>&1) in \
	*'version $(FORMAT_VERSION).'*) clang-format --dry-run --Werror $(FORMATTED) ;; \
	*) echo 'skip  $@: no clang-format $(FORMAT_VERSION)' ;; \
	esac

check-shell: ## list what shellcheck finds in scripts
	@shellcheck --severity warning $$(git ls-files '*.sh' setup .ci/run tests/cuda/run)

check-names: all ## list exported names without a prefix of their module
	@tests/check-names.sh $(OBJ)

check-lines: ## list lines of more than 120 columns
	@tests/check-lines.sh

check-includes: ## list includes that point down the table of rooms, and circles between files
	@tests/check-includes.sh

.PHONY: check lint format check-includes check-lines check-names check-format check-shell
