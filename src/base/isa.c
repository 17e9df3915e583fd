#include "base/isa.h"

#include <stdlib.h>
#include <string.h>

#include <inco/inco.h>

#if defined(__x86_64__)
static const char *const level_name[ISA_LEVELS] = {"sse2", "avx2", "avx512"};

isa_level isa_best(void) {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return ISA_BASE;
    int wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    return wide ? ISA_AVX512 : ISA_AVX2;
}
#else
static const char *const level_name[ISA_LEVELS] = {"generic", "", ""};

isa_level isa_best(void) {
    return ISA_BASE;
}
#endif

isa_level isa_detect(void) {
    isa_level best = isa_best();
    const char *wanted = getenv("INCO_ISA");
    for (int level = 0; wanted && level < (int)best; level++)
        if (!strcmp(wanted, level_name[level])) return (isa_level)level;
    return best;
}

const char *inco_isa(void) {
    return level_name[isa_detect()];
}
