# Levels of processors (tensor/cpu/level.h), the best one first, and the instructions of each; tensor/cpu/device.c asks
# the processor for just these. Those that no Mac has, or that macOS does not name, are not built for it.
ifneq ($(filter x86_64%,$(MACHINE)),)
LEVELS ?= $(if $(MACOS),,x86-64-v4-amx x86-64-v4-bf16 x86-64-v4-vnni x86-64-v4 x86-64-v3-vnni) x86-64-v3 x86-64
else ifneq ($(filter aarch64% arm64%,$(MACHINE)),)
LEVELS ?= $(if $(MACOS),neon-dotprod,neon-i8mm neon-dotprod neon)
else ifneq ($(filter wasm32%,$(MACHINE)),)
LEVELS ?= wasm-simd128
else
LEVELS ?= base
endif
FLAGS_x86-64-v3 := -mavx2 -mfma
FLAGS_x86-64-v3-vnni := $(FLAGS_x86-64-v3) -mavxvnni
FLAGS_x86-64-v4 := $(FLAGS_x86-64-v3) -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512
FLAGS_x86-64-v4-vnni := $(FLAGS_x86-64-v4) -mavx512vnni
FLAGS_x86-64-v4-bf16 := $(FLAGS_x86-64-v4-vnni) -mavx512bf16
FLAGS_x86-64-v4-amx := $(FLAGS_x86-64-v4-bf16) -mamx-tile -mamx-int8 -mamx-bf16
FLAGS_neon-dotprod := -march=armv8.2-a+dotprod
FLAGS_wasm-simd128 := -msimd128
FLAGS_neon-i8mm := -march=armv8.2-a+dotprod+i8mm
# Activations are rounded alike on all levels.
CONTRACT_packed := off
level_symbol = cpu_level_$(subst -,_,$(1))
LEVEL_SRC := $(wildcard tensor/cpu/level/*.c)
LEVEL_OBJ := $(foreach l,$(LEVELS),$(LEVEL_SRC:tensor/cpu/level/%.c=$(OBJ)/level/$(l)/%.o))

# The functions of a level, which have the same names in the sources of all, get names of their own.
define LEVEL_RULES
$(OBJ)/level/$(1)/%.o: tensor/cpu/level/%.c $(OBJ)/level/$(1)/names.h $(RULES)
	$$(call start,compile)
	$$(Q)$$(CC) $$(ALL_CPPFLAGS) -DCPU_LEVEL='"$(1)"' -DCPU_LEVEL_SYMBOL=$(call level_symbol,$(1)) \
	    -include $(OBJ)/level/$(1)/names.h $$(COMMON_CFLAGS) $$(FLAGS_$(1)) \
	    -ffp-contract=$$(or $$(CONTRACT_$$*),fast) -MMD -MP -c -o $$@ $$<
$(OBJ)/level/$(1)/names.h: tensor/cpu/level/names.sed tensor/kernels.def $(wildcard tensor/cpu/level/*.h) mk/levels.mk
	@mkdir -p $$(@D)
	@sed -nEf $$(filter-out %.mk,$$^) | sed 's/.*/#pragma redefine_extname & &_$(subst -,_,$(1))/' > $$@
endef
$(foreach l,$(LEVELS),$(eval $(call LEVEL_RULES,$(l))))
$(OBJ)/tensor/cpu/device.o: ALL_CPPFLAGS += -DCPU_LEVELS='$(foreach l,$(LEVELS),LEVEL($(call level_symbol,$(l))))'
