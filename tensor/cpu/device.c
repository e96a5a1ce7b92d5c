/* The host itself as a device: which level's, and the profile of its matrix products. */
#define _DEFAULT_SOURCE /* syscall */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined __x86_64__
#include <cpuid.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#elif defined __aarch64__ && !defined __APPLE__
#include <sys/auxv.h>
#endif

#include "base/thread.h"
#include "tensor/cpu/cpu.h"
#include "tensor/cpu/level.h"

/* ---- profile */

static _Thread_local GemmProfile *profile;

void device_cpu_profile(GemmProfile *gemm_profile) { profile = gemm_profile; }

double cpu_profile_begin(void) { return profile ? clock_seconds() : 0; }

void cpu_profile_end(double start, int m, int n, int k)
{
    if (!profile) return;
    profile->seconds += clock_seconds() - start;
    profile->flops += 2.0 * m * n * k;
}

/* ---- levels */

static bool refused; /* tiles, by the system; set before there is a level */

/* CPU_LEVELS of the Makefile is LEVEL(symbol) for each level, the best one first; NEEDS_symbol is whether the processor
 * has the instructions that the Makefile lets the compiler use for it. */
#ifdef __x86_64__
enum { EAX, EBX, ECX, EDX };
/* One bit of what cpuid says. Not __builtin_cpu_supports, which is empty in the runtime of some compilers. */
static inline bool has(unsigned leaf, unsigned part, int number, int bit)
{
    unsigned x[4];
    return __get_cpuid_count(leaf, part, &x[EAX], &x[EBX], &x[ECX], &x[EDX]) && x[number] >> bit & 1;
}
/* Does the system save the registers of these bits of XCR0? */
static inline bool saves(unsigned bits)
{
    unsigned low, high;
    if (!has(1, 0, ECX, 27)) return false; /* OSXSAVE: there is xgetbv */
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & bits) == bits;
}
/* AMX with products of bytes and of bfloat16. Linux has the 8 KiB of a thread's tiles for a process that asks, and then
 * for all of its threads. */
static inline bool has_amx(void)
{
#ifdef __linux__
    enum { ASK = 0x1023 /* ARCH_REQ_XCOMP_PERM */, TILE_DATA = 18 };
    if (!has(7, 0, EDX, 22) || !has(7, 0, EDX, 24) || !has(7, 0, EDX, 25)) return false; /* BF16, TILE, INT8 */
    refused = syscall(SYS_arch_prctl, ASK, TILE_DATA) != 0;
    return !refused;
#else
    return false;
#endif
}
#elif defined __APPLE__
#define HAS_I8MM false
#define HAS_DOTPROD true /* every processor of Apple for 64-bit ARM that runs macOS */
#elif defined __aarch64__
#define HAS_I8MM ((getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0)
#define HAS_DOTPROD ((getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0)
#endif
#define NEEDS_cpu_level_x86_64_v3 (saves(0x06) && has(7, 0, EBX, 5) /* AVX2 */ && has(1, 0, ECX, 12) /* FMA */)
#define NEEDS_cpu_level_x86_64_v3_vnni (NEEDS_cpu_level_x86_64_v3 && has(7, 1, EAX, 4))
#define NEEDS_cpu_level_x86_64_v4 /* AVX-512 F, BW, DQ, VL */                                                      \
    (NEEDS_cpu_level_x86_64_v3 && saves(0xe6) && has(7, 0, EBX, 16) && has(7, 0, EBX, 30) && has(7, 0, EBX, 17) && \
     has(7, 0, EBX, 31))
#define NEEDS_cpu_level_x86_64_v4_vnni (NEEDS_cpu_level_x86_64_v4 && has(7, 0, ECX, 11))
#define NEEDS_cpu_level_x86_64_v4_bf16 (NEEDS_cpu_level_x86_64_v4_vnni && has(7, 1, EAX, 5))
#define NEEDS_cpu_level_x86_64_v4_amx (NEEDS_cpu_level_x86_64_v4_bf16 && has_amx())
#define NEEDS_cpu_level_x86_64 true
#define NEEDS_cpu_level_neon_i8mm (HAS_DOTPROD && HAS_I8MM)
#define NEEDS_cpu_level_neon_dotprod HAS_DOTPROD
#define NEEDS_cpu_level_neon true
#define NEEDS_cpu_level_wasm_simd128 true
#define NEEDS_cpu_level_base true

#define LEVEL(symbol) extern const CpuLevel symbol;
CPU_LEVELS
#undef LEVEL

typedef struct Entry {
    const CpuLevel *level;
    bool runs;
} Entry;

enum {
#define LEVEL(symbol) COUNT_##symbol,
    CPU_LEVELS
#undef LEVEL
        N_LEVELS
};

static struct {
    pthread_once_t once;
    Entry entry[N_LEVELS];
    const CpuLevel *level;
    char named[64]; /* LAL_CPU, if it cannot be used */
} levels = { .once = PTHREAD_ONCE_INIT };

static void find_levels(void)
{
    const Entry all[] = {
#define LEVEL(symbol) { &symbol, NEEDS_##symbol },
        CPU_LEVELS
#undef LEVEL
    };
    const char *wanted = getenv("LAL_CPU"); /* safe: before the program changes its environment, if it ever does */
    memcpy(levels.entry, all, sizeof all);
    for (int k = N_LEVELS - 1; k >= 0; k--)
        if (all[k].runs) levels.level = all[k].level;
    if (!wanted || !*wanted) return;
    for (int k = 0; k < N_LEVELS; k++)
        if (all[k].runs && strcmp(all[k].level->name, wanted) == 0) {
            levels.level = all[k].level;
            return;
        }
    strncpy(levels.named, wanted, sizeof levels.named - 1);
}

const CpuLevel *cpu_level(void)
{
    pthread_once(&levels.once, find_levels);
    return levels.level;
}

const CpuLevel *cpu_level_at(int n)
{
    pthread_once(&levels.once, find_levels);
    for (int k = 0; k < N_LEVELS; k++)
        if (levels.entry[k].runs && n-- == 0) return levels.entry[k].level;
    return NULL;
}

bool cpu_amx_refused(void)
{
    cpu_level();
    return refused;
}

const Device *device_cpu(void) { return &cpu_level()->device; }

/* ERR_CONFIG if LAL_CPU names a level that cannot be used. */
static Status check_named(Error *e)
{
    char names[128] = "";
    const CpuLevel *level;
    cpu_level();
    if (!levels.named[0]) return OK;
    for (int k = 0; (level = cpu_level_at(k)); k++) {
        size_t end = strlen(names);
        snprintf(names + end, sizeof names - end, "%s%s", k ? ", " : "", level->name);
    }
    for (int k = 0; k < N_LEVELS; k++)
        if (strcmp(levels.entry[k].level->name, levels.named) == 0)
            return error_set(e, ERR_CONFIG, "LAL_CPU: found %s, which this processor is not; expected %s", levels.named,
                             names);
    return error_set(e, ERR_CONFIG, "LAL_CPU: found '%s', expected %s", levels.named, names);
}

Status cpu_start(int threads, bool trains, Error *error)
{
    Status status = check_named(error);
    return status == OK && trains ? cpu_blas_start(threads, error) : status;
}

static Status choose(int n, const Device **out, Error *e)
{
    (void)n;
    *out = device_cpu();
    return check_named(e);
}

const DeviceKind DEVICE_KIND_CPU = { "cpu", false, choose };
