/* Learning from a few signals of any numbers, by every method; frames. */
#include <math.h>
#include <string.h>

#include "../fuzz.h"
#include "../numbers.h"
#include "mat/mat.h"

static void set(inco_options *o, const char *name, double value) {
    inco_options_set_number(o, name, value, NULL);
}

static inco_options *learn_options(numbers *n, const char *method) {
    static const char *const coders[] = {"larc", "omp", "ols", "lars", "lasso"};
    static const char *const weights[] = {"gamma", "gamma-relative", "max-coherence", "eta", "replace"};
    inco_options *o = inco_options_new();
    PROMISE(o && !inco_options_set(o, "threads", "1", NULL) && !inco_options_set(o, "method", method, NULL));
    PROMISE(!inco_options_set(o, "coder", coders[numbers_below(n, 5)], NULL));
    set(o, "iterations", 1 + numbers_below(n, 2));
    set(o, "atoms", 1 + numbers_below(n, 10));
    set(o, "sparsity", 1 + numbers_below(n, 4));
    set(o, weights[numbers_below(n, 5)], numbers_below(n, 101) / 100.);
    const int64_t flags = numbers_below(n, 64);
    if (flags & 1) inco_options_set(o, "normalize", "none", NULL);
    if (flags & 2) inco_options_set(o, "center", flags & 4 ? "signal" : "feature", NULL);
    if (flags & 8) inco_options_set(o, "precision", flags & 16 ? "f32" : "f64", NULL);
    if (flags & 32) inco_options_set(o, "init", "random", NULL);
    return o;
}

/* Unit norms up to rounding in the precision of the result. */
static int is_normalized(const inco_mat *d) {
    int good = 1;
    for (int64_t j = 0; j < d->cols; j++)
        good = good && fabs(mat_column_norm(d, j) - 1) < (d->type == INCO_F32 ? 1e-6 : 1e-9);
    return good;
}

/* Whether so many atoms, 10 at most, surely exist with this coherence; a bound below may be missed. In the plane the
 * lowest coherence is cos(π/L), in three dimensions 0.69 for 10 atoms, in more dimensions less. */
static int is_attainable(int64_t atoms, int64_t rank, double bound) {
    if (atoms <= rank) return 1;
    if (rank == 2) return bound > cos(acos(-1) / (double)atoms) + 1e-6;
    return rank > 2 && bound >= .75;
}

static void check_learned(const inco_mat *d, const inco_learn_info *info, const inco_options *o, const char *method) {
    const double bound = inco_options_get_number(o, "max-coherence");
    int64_t row, col;
    PROMISE(!mat_find_nonfinite(d, &row, &col) && is_normalized(d));
    PROMISE(info->coherence_max >= 0 && info->coherence_max <= 1);
    PROMISE(info->relative_error >= 0 && info->relative_error <= 1 + 1e-5);
    PROMISE(isfinite(info->objective) && isfinite(info->gamma) && info->mean_cardinality >= 0);
    if (!strcmp(method, "idl") && !isnan(bound) && is_attainable(d->cols, info->rank, bound))
        PROMISE(info->coherence_max <= bound);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const char *const methods[] = {"idl",   "mod",    "mocod", "online", "ksvd",
                                          "aksvd", "inksvd", "ipr",   "aksvdc", "idb"};
    numbers n = numbers_from(bytes, count);
    const char *method = methods[numbers_below(&n, 10)];
    const int type = numbers_below(&n, 2) ? INCO_F32 : INCO_F64;
    inco_options *o = learn_options(&n, method);
    inco_mat x = numbers_matrix(&n, type, 1 + numbers_below(&n, 6), 1 + numbers_below(&n, 24)), d = {0};
    inco_source source = INCO_INIT(inco_source);
    inco_learn_info info = INCO_INIT(inco_learn_info);
    PROMISE(inco_source_from_mat(&source, &x, NULL) == 0);
    if (inco_learn(&source, o, &d, &info, NULL) == 0) {
        fuzz_accepted++;
        check_learned(&d, &info, o, method);
    }
    inco_mat_free(&d);
    inco_mat_free(&x);
    inco_options_free(o);
    return 0;
}
