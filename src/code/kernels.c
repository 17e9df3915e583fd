/* Chooses among the compiled kernels. */
#include "base/isa.h"
#include "code/kernel.h"

#define DECLARE_KERNEL(constant, name, isa)                                                                            \
    int name##_f32_##isa(kernel_work *work, const void *a0, double energy);                                            \
    int name##_f64_##isa(kernel_work *work, const void *a0, double energy);
#define DECLARE(isa)                                                                                                   \
    KERNELS(DECLARE_KERNEL, isa)                                                                                       \
    int refine_f64_##isa(kernel_refinement *job);
#define BOTH(constant, name, isa) {name##_f32_##isa, name##_f64_##isa},
#define ROW_OF(isa)                                                                                                    \
    { KERNELS(BOTH, isa) }

DECLARE(base)
#if defined(__x86_64__)
DECLARE(avx2)
DECLARE(avx512)
static const kernel_run compiled[ISA_LEVELS][KERNEL_COUNT][2] = {ROW_OF(base), ROW_OF(avx2), ROW_OF(avx512)};
static const kernel_refine refinement[ISA_LEVELS] = {refine_f64_base, refine_f64_avx2, refine_f64_avx512};
#else
static const kernel_run compiled[ISA_LEVELS][KERNEL_COUNT][2] = {ROW_OF(base)};
static const kernel_refine refinement[ISA_LEVELS] = {refine_f64_base};
#endif

/* Two columns take a multiplication more per number read. Intel's cores have the units for it; on AMD's Zen 4, whose
 * units have 256 bits, it takes longer than the reads that it saves (docs/performance.md). */
int kernel_guesses(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (isa_detect() == ISA_AVX512 && __builtin_cpu_is("intel")) return KERNEL_GUESSES;
#endif
    return 1;
}

kernel_run kernel_choose(int coder, inco_type type) {
    return compiled[isa_detect()][coder_kind_at(coder)->kernel][type == INCO_F64];
}

kernel_refine kernel_choose_refine(void) {
    return refinement[isa_detect()];
}
