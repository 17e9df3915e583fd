/* Chooses among the compiled kernels. */
#include "data/sums.h"

#include "base/isa.h"

#define DECLARE(isa)                                                                                                   \
    void sums_f32_##isa(const sums_atom *atom);                                                                        \
    void sums_f64_##isa(const sums_atom *atom);                                                                        \
    double residual_f32_##isa(const sums_signal *signal);                                                              \
    double residual_f64_##isa(const sums_signal *signal);
#define SUMS_OF(isa)                                                                                                   \
    { sums_f32_##isa, sums_f64_##isa }
#define RESIDUAL_OF(isa)                                                                                               \
    { residual_f32_##isa, residual_f64_##isa }

DECLARE(base)
#if defined(__x86_64__)
DECLARE(avx2)
DECLARE(avx512)
static const sums_kernel compiled[ISA_LEVELS][2] = {SUMS_OF(base), SUMS_OF(avx2), SUMS_OF(avx512)};
static const sums_residual residual[ISA_LEVELS][2] = {RESIDUAL_OF(base), RESIDUAL_OF(avx2), RESIDUAL_OF(avx512)};
#else
static const sums_kernel compiled[ISA_LEVELS][2] = {SUMS_OF(base)};
static const sums_residual residual[ISA_LEVELS][2] = {RESIDUAL_OF(base)};
#endif

sums_kernel sums_choose(inco_type type) {
    return compiled[isa_detect()][type == INCO_F64];
}

sums_residual sums_choose_residual(inco_type type) {
    return residual[isa_detect()][type == INCO_F64];
}
