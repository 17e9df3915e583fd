/* Signals with sparse codes and their statistics, for tests of dictionary updates. */
#ifndef INCO_TESTS_SAMPLE_H
#define INCO_TESTS_SAMPLE_H

#include "check.h"
#include "mat/blas.h"
#include "update/update.h"

/* Forms of IDL's update: unit norms kept, norms free, and unit norms with products in float32. */
enum { KEPT, FREE, NARROW, FORMS };

#define SETTINGS(weight, form, steps, many)                                                                            \
    ((update_settings){                                                                                                \
        .gamma = weight, .rescale = (form) == FREE, .narrow = (form) == NARROW, .iterations = steps, .threads = many})

typedef struct sample {
    inco_mat x, c, d; /* signals, codes, initial dictionary */
    statistics s;
} sample;

/* X = truth C + noise, with `sparsity` nonzeros per code, none of them of the last `unused` atoms. */
static inline sample sample_new(int64_t dim, int64_t atoms, int64_t signals, int64_t unused, double noise) {
    sample t;
    inco_mat truth = check_dictionary(INCO_F64, dim, atoms, 11);
    const int64_t sparsity = 3;
    t.d = check_dictionary(INCO_F64, dim, atoms, 12);
    t.x = check_random(INCO_F64, dim, signals, 13);
    assert_int_equal(inco_mat_new(&t.c, INCO_F64, atoms, signals, NULL), INCO_OK);
    for (int64_t n = 0; n < signals; n++)
        for (int64_t k = 0; k < sparsity; k++) {
            uint64_t i = (uint64_t)(n * sparsity + k);
            int64_t atom = (n * sparsity + k) % 7 ? rng_below(14, RNG_TEST, i, atoms - unused) : n % (atoms - unused);
            mat_set(&t.c, atom, n, 1 + rng_normal(15, RNG_TEST, i));
        }
    blas_multiply(1, "NN", 1, &truth, &t.c, noise, &t.x);
    assert_int_equal(inco_mat_new(&t.s.a, INCO_F64, atoms, atoms, NULL), INCO_OK);
    assert_int_equal(inco_mat_new(&t.s.b, INCO_F64, dim, atoms, NULL), INCO_OK);
    blas_multiply(1, "NT", 1, &t.c, &t.c, 0, &t.s.a);
    blas_multiply(1, "NT", 1, &t.x, &t.c, 0, &t.s.b);
    t.s.energy = blas_dot(dim * signals, t.x.data, t.x.data);
    inco_mat_free(&truth);
    return t;
}

static inline void sample_free(sample *t) {
    inco_mat *all[] = {&t->x, &t->c, &t->d, &t->s.a, &t->s.b};
    for (int i = 0; i < 5; i++) inco_mat_free(all[i]);
}

static inline inco_mat copy_of(const inco_mat *m) {
    inco_mat copy;
    assert_int_equal(mat_convert(&copy, m, INCO_F64, NULL), INCO_OK);
    return copy;
}

/* ||X - D C||^2 + gamma ||D'D - I||^2, term by term. */
static inline double direct_objective(const sample *t, const inco_mat *d, double gamma) {
    inco_mat r = copy_of(&t->x), g;
    assert_int_equal(inco_mat_new(&g, INCO_F64, d->cols, d->cols, NULL), INCO_OK);
    blas_multiply(1, "NN", -1, d, &t->c, 1, &r);
    blas_multiply(1, "TN", 1, d, d, 0, &g);
    for (int64_t j = 0; j < g.cols; j++) mat_set(&g, j, j, mat_get(&g, j, j) - 1);
    double f = blas_dot(r.rows * r.cols, r.data, r.data) + gamma * blas_dot(g.rows * g.cols, g.data, g.data);
    inco_mat_free(&r);
    inco_mat_free(&g);
    return f;
}

static inline double objective_of(const sample *t, const inco_mat *d, double gamma) {
    double f;
    assert_int_equal(update_objective(d, &t->s, gamma, 1, &f, NULL), INCO_OK);
    return f;
}

#endif
