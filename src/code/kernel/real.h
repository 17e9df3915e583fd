/* The scalar type of a kernel, and vectors of it by GCC's vector extension: portable, and as wide as the instruction
 * set. */
#ifndef INCO_CODE_KERNEL_REAL_H
#define INCO_CODE_KERNEL_REAL_H

#include <math.h>
#include <stdint.h>
#if defined(KERNEL_ISA_avx512) || defined(KERNEL_ISA_avx2)
#include <immintrin.h>
#endif

#define JOIN_(name, real, isa) name##_##real##_##isa
#define JOIN(name, real, isa) JOIN_(name, real, isa)
#define KERNEL(name) JOIN(name, KERNEL_REAL, KERNEL_ISA)

#if defined(KERNEL_ISA_avx512)
#define VECTOR_BYTES 64
#elif defined(KERNEL_ISA_avx2)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#ifdef KERNEL_f32
typedef float real;
typedef int32_t real_bits;
#define PIVOT 1e-4    /* atoms with a smaller squared distance from the span are linearly dependent */
#define NOTHING 2e-6  /* correlations below this, relative to ||x||, are rounding errors */
#define ROUNDING 1e-6 /* energies below this, relative to x'x, are rounding errors */
#else
typedef double real;
typedef int64_t real_bits;
#define PIVOT 1e-10
#define NOTHING 1e-13
#define ROUNDING 4e-15
#endif

typedef real vector __attribute__((vector_size(VECTOR_BYTES)));
typedef real_bits vector_bits __attribute__((vector_size(VECTOR_BYTES)));
typedef real vector_anywhere __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real)), may_alias));

enum {
    LANES = VECTOR_BYTES / sizeof(real),
    VECTORS = 8,            /* accumulators that stay in registers */
    BLOCK = LANES * VECTORS /* atoms processed together; divides KERNEL_PAD */
};

#define SIGN_BITS (((vector_bits){0} + 1) << (sizeof(real) * 8 - 1))

static inline vector vector_abs(vector x) {
    return (vector)((vector_bits)x & ~SIGN_BITS);
}

/* Used instead of fmin and fmax, which handle NaN by function calls that spill registers. */
static inline double smaller(double a, double b) {
    return a < b ? a : b;
}

static inline double larger(double a, double b) {
    return a > b ? a : b;
}

/* Loads a vector from x, which need not be aligned. Used instead of memcpy, for which gcc copies through the stack,
 * with stores shorter than the following load, so that store forwarding fails. */
static inline vector vector_load(const real *x) {
    return *(const vector_anywhere *)x;
}

static inline vector vector_of(real x) {
    return (vector){0} + x;
}

/* Keeps x in a register; gcc would otherwise load it from memory at each use. */
static inline vector vector_once(vector x) {
#if defined(__x86_64__)
    __asm__("" : "+v"(x));
#endif
    return x;
}

static inline vector vector_select(vector_bits choose, vector a, vector b) {
    return (vector)(((vector_bits)a & choose) | ((vector_bits)b & ~choose));
}

static inline vector vector_max(vector a, vector b) {
#if defined(KERNEL_ISA_avx512) && defined(KERNEL_f32)
    return (vector)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(KERNEL_ISA_avx512)
    return (vector)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(KERNEL_ISA_avx2) && defined(KERNEL_f32)
    return (vector)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(KERNEL_ISA_avx2)
    return (vector)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return vector_select(a > b, a, b);
#endif
}

/* max(a, b) in lanes where x > y, a in the others. */
static inline vector vector_max_where(vector a, vector b, vector x, vector y) {
#if defined(KERNEL_ISA_avx512) && defined(KERNEL_f32)
    const __mmask16 lanes = _mm512_cmp_ps_mask((__m512)x, (__m512)y, _CMP_GT_OQ);
    return (vector)_mm512_mask_max_ps((__m512)a, lanes, (__m512)a, (__m512)b);
#elif defined(KERNEL_ISA_avx512)
    const __mmask8 lanes = _mm512_cmp_pd_mask((__m512d)x, (__m512d)y, _CMP_GT_OQ);
    return (vector)_mm512_mask_max_pd((__m512d)a, lanes, (__m512d)a, (__m512d)b);
#else
    return vector_select(x > y, vector_max(a, b), a);
#endif
}

/* 1 / x with a relative error below ABOUT: a fast approximation if the instruction set has one. */
#define ABOUT 1e-3
static inline vector about_inverse(vector x) {
#if defined(KERNEL_ISA_avx512) && defined(KERNEL_f32)
    return (vector)_mm512_rcp14_ps((__m512)x);
#elif defined(KERNEL_ISA_avx512)
    return (vector)_mm512_rcp14_pd((__m512d)x);
#elif defined(KERNEL_ISA_avx2) && defined(KERNEL_f32)
    return (vector)_mm256_rcp_ps((__m256)x);
#else
    return vector_of(1) / x;
#endif
}

static inline real largest_lane(vector x) {
#if defined(KERNEL_ISA_avx512) && defined(KERNEL_f32)
    return _mm512_reduce_max_ps((__m512)x);
#elif defined(KERNEL_ISA_avx512)
    return _mm512_reduce_max_pd((__m512d)x);
#else
    real largest = x[0];
    for (unsigned i = 1; i < LANES; i++) largest = x[i] > largest ? x[i] : largest;
    return largest;
#endif
}

/* Bit i of the result: a > b in lane i. Intrinsics, since compilers do not generate these instructions from the
 * portable form. */
static inline unsigned lanes_greater(vector a, vector b) {
#if defined(KERNEL_ISA_avx512) && defined(KERNEL_f32)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_GT_OQ);
#elif defined(KERNEL_ISA_avx512)
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_GT_OQ);
#elif defined(KERNEL_ISA_avx2) && defined(KERNEL_f32)
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_GT_OQ));
#elif defined(KERNEL_ISA_avx2)
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_GT_OQ));
#else
    unsigned lanes = 0;
    for (unsigned i = 0; i < LANES; i++) lanes |= (unsigned)(a[i] > b[i]) << i;
    return lanes;
#endif
}

/* A set of atoms of a block, one bit each. Searching with sets avoids unpredictable branches that depend on which atom
 * is found. */
#if VECTOR_BYTES == 64 && defined(KERNEL_f32)
__extension__ typedef unsigned __int128 atom_set;
#else
typedef uint64_t atom_set;
#endif

static inline int set_first(atom_set set) {
    const uint64_t low = (uint64_t)set, high = (uint64_t)(set >> (BLOCK > 64 ? 64 : 0));
    return __builtin_ctzll(low ? low : high) + (low ? 0 : 64);
}

#endif
