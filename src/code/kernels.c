/* Chooses among the compiled kernels. */
#include "base/isa.h"
#include "base/options.h"
#include "code/kernel.h"

#define DECLARE(isa)                                                                                                   \
    int pursuit_f32_##isa(kernel_work *work, const void *a0, double energy);                                           \
    int pursuit_f64_##isa(kernel_work *work, const void *a0, double energy);                                           \
    int lars_f32_##isa(kernel_work *work, const void *a0, double energy);                                              \
    int lars_f64_##isa(kernel_work *work, const void *a0, double energy);                                              \
    int refine_f64_##isa(kernel_refinement *job);
#define ROW_OF(isa)                                                                                                    \
    {                                                                                                                  \
        {pursuit_f32_##isa, pursuit_f64_##isa}, {                                                                      \
            lars_f32_##isa, lars_f64_##isa                                                                             \
        }                                                                                                              \
    }

DECLARE(base)
#if defined(__x86_64__)
DECLARE(avx2)
DECLARE(avx512)
static const kernel_run compiled[ISA_LEVELS][2][2] = {ROW_OF(base), ROW_OF(avx2), ROW_OF(avx512)};
static const kernel_refine refinement[ISA_LEVELS] = {refine_f64_base, refine_f64_avx2, refine_f64_avx512};
#else
static const kernel_run compiled[ISA_LEVELS][2][2] = {ROW_OF(base)};
static const kernel_refine refinement[ISA_LEVELS] = {refine_f64_base};
#endif

kernel_run kernel_choose(int coder, inco_type type) {
    int path = coder != CODER_OMP && coder != CODER_OLS;
    return compiled[isa_detect()][path][type == INCO_F64];
}

kernel_refine kernel_choose_refine(void) {
    return refinement[isa_detect()];
}
