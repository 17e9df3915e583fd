/* Shared by the test programs. */
#ifndef INCO_TESTS_CHECK_H
#define INCO_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include <inco/inco.h>

#include "base/rng.h"
#include "base/source.h"
#include "mat/mat.h"

/* Sanitizers of this build. */
#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
enum { SANITIZED_MEMORY = 1 };
#else
enum { SANITIZED_MEMORY = 0 };
#endif
#if defined(__SANITIZE_THREAD__) || HAS_FEATURE(thread_sanitizer)
enum { SANITIZED_THREADS = 1 }; /* the child of a process with threads may not create threads */
#else
enum { SANITIZED_THREADS = 0 };
#endif

#define assert_near(a, b, tolerance) assert_true(fabs((double)(a) - (double)(b)) <= (tolerance))

/* A matrix of normally distributed entries; use another seed for each matrix. */
static inline inco_mat check_random(inco_type type, int64_t rows, int64_t cols, uint64_t seed) {
    inco_mat m;
    assert_int_equal(inco_mat_new(&m, type, rows, cols, NULL), INCO_OK);
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) mat_set(&m, i, j, rng_normal(seed, RNG_TEST, (uint64_t)(i + j * rows)));
    return m;
}

/* The same with unit-norm columns. */
static inline inco_mat check_dictionary(inco_type type, int64_t rows, int64_t cols, uint64_t seed) {
    inco_mat m = check_random(type, rows, cols, seed);
    mat_normalize_columns(&m, NULL);
    return m;
}

/* Options from pairs of name and value, ended by NULL. */
static inline inco_options *check_options(const char *const *pairs) {
    inco_options *o = inco_options_new();
    inco_error error = {0};
    assert_non_null(o);
    for (; pairs && *pairs; pairs += 2)
        if (inco_options_set(o, pairs[0], pairs[1], &error) != INCO_OK) fail_msg("%s", error.message);
    return o;
}
#define OPTIONS(...) check_options((const char *const[]){__VA_ARGS__, NULL})

/* The results of a learner. */
static inline inco_learn_info check_info(const inco_learner *learner) {
    inco_learn_info info = INCO_INIT(inco_learn_info);
    assert_int_equal(inco_learner_info(learner, &info, NULL), INCO_OK);
    return info;
}

static inline inco_mat check_learned(const inco_learner *learner) {
    inco_mat view;
    assert_int_equal(inco_learner_dictionary(learner, &view, NULL), INCO_OK);
    return view;
}

/* Sets the progress callback of calls with these options. */
static inline void check_watch(inco_options *o, inco_progress_fn callback, void *self) {
    assert_int_equal(inco_options_on_progress(o, callback, self, sizeof(inco_progress), NULL), INCO_OK);
}

static inline void *check_type(inco_type type) {
    static inco_type types[] = {INCO_F32, INCO_F64};
    return &types[type == INCO_F64];
}

/* Runs a test with both types; *state points to the type. */
/* clang-format off */
#define WITH(type, test) {#test " (" #type ")", test, NULL, NULL, check_type(INCO_##type)}
/* clang-format on */
#define BOTH(test) WITH(F32, test), WITH(F64, test)

#endif
