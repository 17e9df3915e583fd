/* Chooses among the compiled kernels. */
#include "data/sums.h"

#include "base/isa.h"

#define DECLARE(isa)                                                                                                   \
    void sums_f32_##isa(const sums_atom *atom);                                                                        \
    void sums_f64_##isa(const sums_atom *atom);

DECLARE(base)
#if defined(__x86_64__)
DECLARE(avx2)
DECLARE(avx512)
static const sums_kernel compiled[ISA_LEVELS][2] = {
    {sums_f32_base, sums_f64_base}, {sums_f32_avx2, sums_f64_avx2}, {sums_f32_avx512, sums_f64_avx512}};
#else
static const sums_kernel compiled[ISA_LEVELS][2] = {{sums_f32_base, sums_f64_base}};
#endif

sums_kernel sums_choose(inco_type type) {
    return compiled[isa_detect()][type == INCO_F64];
}
