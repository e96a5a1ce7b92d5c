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

ifeq ($(CUDA),1)
$(OBJ)/%.o: %.cu $(RULES)
	$(call start,compile)
	$(Q)$(NVCC) $(CUDA_CPPFLAGS) $(NVCC_FLAGS) -MMD -MP -c -o $@ $<
endif

$(OBJ)/emulated/%.o: %.cu $(RULES)
	$(call start,compile)
	$(Q)$(CXX) $(CUDA_CPPFLAGS) $(EMULATED) -O1 -include tests/cuda/emulator.h -MMD -MP -x c++ -c -o $@ $<

$(OBJ)/tests/cuda/%.o: tests/cuda/%.cpp $(RULES)
	$(call start,compile)
	$(Q)$(CXX) $(CUDA_CPPFLAGS) $(EMULATED) -MMD -MP -c -o $@ $<
