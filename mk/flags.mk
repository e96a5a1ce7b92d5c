# The compiler, the folder of a build with its switches, flags and libraries.
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
# g++ beside clang, too: the emulator clears the padding of arguments, which clang 14 cannot.
CXX := $(if $(findstring clang,$(CC)),g++,$(subst gcc,g++,$(CC)))
endif
# CC=aarch64-linux-gnu-gcc has an archiver and an objcopy of the same prefix.
CROSS := $(patsubst %gcc,%,$(filter %-linux-gnu-gcc,$(CC)))
ifeq ($(origin AR),default)
AR := $(CROSS)ar
endif

ifneq ($(origin MACHINE),command line)
MACHINE := $(shell $(CC) -dumpmachine)
endif
MACOS := $(findstring macos,$(MACHINE))$(findstring darwin,$(MACHINE))

# The linker of macOS makes hidden names local by itself.
OBJCOPY ?= $(if $(MACOS),:,$(CROSS)objcopy)

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
PKG_CFLAGS := $(shell pkg-config --cflags $(TEXT_PKG) 2>/dev/null)
# OpenBLAS is loaded by this name or path when a command trains (tensor/cpu/blas.c); nothing of it is needed to build.
BLAS ?= $(if $(MACOS),/System/Library/Frameworks/Accelerate.framework/Accelerate,libopenblas.so.0)
TEXT_LIBS := $(shell pkg-config --libs $(TEXT_PKG) 2>/dev/null || echo -lutf8proc -lcjson -lz) $(if $(MACOS),-liconv)
PKG_LIBS := $(TEXT_LIBS) $(shell pkg-config --libs libpcre2-8 2>/dev/null || echo -lpcre2-8) -ldl

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
# The names of POSIX, which -std=c11 alone hides, and those that macOS hides besides.
ALL_CPPFLAGS := -I. -D_XOPEN_SOURCE=700 $(if $(MACOS),-D_DARWIN_C_SOURCE) $(PKG_CFLAGS) -DLAL_DATADIR='"$(SHARE)"' \
	-DLAL_DOCDIR='"$(DOC)"' -DLAL_BLAS='"$(BLAS)"' $(CPPFLAGS)
ifeq ($(REAL),double)
ALL_CPPFLAGS += -DLAL_REAL_DOUBLE
endif
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

# Begins the commands of a rule: its folder, and what is shown.
start = @mkdir -p $(@D) && echo $(1) $@
