/* The numerical core on small matrices of any numbers: coders, inspection, comparison, decohere. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../fuzz.h"
#include "../numbers.h"
#include "mat/mat.h"

/* ---- Sparse coding ---- */

static inco_options *coder_options(numbers *n) {
    static const char *const coders[] = {"larc", "omp", "ols", "lars", "lasso"};
    static const char *const stops[] = {"sparsity", "tolerance", "lambda", "residual-coherence", "residual-norm"};
    const char *coder = coders[numbers_below(n, 5)], *stop = stops[numbers_below(n, 5)];
    const double value = *stop == 's' ? 1 + numbers_below(n, 8) : numbers_below(n, 100) / 100.;
    inco_options *o = inco_options_new();
    PROMISE(o && !inco_options_set(o, "threads", "1", NULL) && !inco_options_set(o, "coder", coder, NULL));
    inco_options_set_number(o, stop, value, NULL);
    if (numbers_below(n, 2)) inco_options_set(o, "refit", "yes", NULL);
    if (numbers_below(n, 2)) inco_options_set(o, "nonnegative", "yes", NULL);
    return o;
}

static double energy(const inco_mat *x, int64_t column) {
    double sum = 0;
    for (int64_t i = 0; i < x->rows; i++) sum += mat_get(x, i, column) * mat_get(x, i, column);
    return sum;
}

static void check_coder(const inco_mat *d, const inco_mat *x, const inco_options *o) {
    inco_coder *coder = NULL;
    inco_csc codes = {0};
    double residual[NUMBERS_MAX];
    const double slack = x->type == INCO_F32 ? 1e-5 : 1e-13;
    if (inco_coder_new(&coder, d, x->type, o, NULL) < 0) return;
    if (inco_coder_run(coder, x, &codes, residual, NULL) == 0) {
        fuzz_accepted++;
        PROMISE(codes.rows == d->cols && codes.cols == x->cols);
        fuzz_codes(&codes);
        for (int64_t j = 0; j < x->cols; j++) PROMISE(residual[j] >= 0 && residual[j] <= energy(x, j) * (1 + slack));
    }
    inco_csc_free(&codes);
    inco_coder_free(coder);
}

static void check_encode(const inco_mat *d, const inco_mat *x, const inco_options *o) {
    inco_csc codes = {0};
    inco_mat back = {0};
    int64_t row, col;
    inco_source source = INCO_INIT(inco_source);
    inco_encode_info info = INCO_INIT(inco_encode_info);
    PROMISE(inco_source_from_mat(&source, x, NULL) == 0);
    if (inco_encode(d, &source, o, &codes, &info, NULL) == 0) {
        fuzz_codes(&codes);
        PROMISE(info.nonzeros == codes.start[codes.cols] && info.signals == x->cols);
        PROMISE(isnan(info.relative_error) || (info.relative_error >= 0 && info.relative_error <= 1 + 1e-6));
        PROMISE(!isnan(info.relative_error) || info.zero_signals == x->cols);
        if (inco_decode(d, &codes, NULL, &back, NULL) == 0) PROMISE(!mat_find_nonfinite(&back, &row, &col));
    }
    inco_mat_free(&back);
    inco_csc_free(&codes);
}

/* ---- Dictionaries ---- */

static void check_inspect(const inco_mat *d) {
    inco_metrics m = INCO_INIT(inco_metrics);
    if (inco_inspect(d, NULL, &m, NULL) != 0) return;
    PROMISE(m.coherence_max >= 0 && m.coherence_max <= 1);
    /* the squares of inner products below 1e-154 underflow */
    PROMISE(m.coherence_rms >= 0 && m.coherence_rms <= fmax(m.coherence_max * (1 + 1e-14), 1e-150));
    /* The rank is one up to rounding to the type, 2.4e-7 in float32, whose square inner products may lack. */
    if (!m.zero_atoms) PROMISE(m.welch <= m.coherence_max + (d->type == INCO_F32 ? 1e-12 : 1e-14));
    inco_metrics_free(&m);
}

static void check_compare(const inco_mat *a, const inco_mat *b) {
    inco_comparison c = INCO_INIT(inco_comparison);
    if (inco_compare(a, b, NULL, &c, NULL) != 0) return;
    PROMISE(c.matched == 0 || (c.mean_similarity >= 0 && c.mean_similarity <= 1));
    PROMISE(c.matched <= a->cols && c.matched <= b->cols);
    for (int64_t i = 0; i < a->cols; i++) PROMISE(c.match[i] >= -1 && c.match[i] < b->cols);
    inco_comparison_free(&c);
}

/* The search may take seconds. */
static int stop_soon(void *self, const inco_progress *now) {
    (void)now;
    return ++*(int *)self > 20;
}

static void check_decohere(const inco_mat *d, double bound) {
    inco_options *o = fuzz_options(NULL);
    inco_mat e = {0};
    int64_t row, col;
    int calls = 0;
    inco_decohere_info info = INCO_INIT(inco_decohere_info);
    PROMISE(inco_options_on_progress(o, stop_soon, &calls, sizeof(inco_progress), NULL) == 0);
    if (inco_options_set_number(o, "max-coherence", bound, NULL) == 0 &&
        inco_decohere(d, NULL, o, &e, &info, NULL) >= 0) {
        PROMISE(e.rows == d->rows && e.cols == d->cols && !mat_find_nonfinite(&e, &row, &col));
        PROMISE(info.coherence_max >= 0 && info.coherence_max <= 1);
        PROMISE(!info.reached || info.coherence_max <= bound);
    }
    inco_mat_free(&e);
    inco_options_free(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    numbers n = numbers_from(bytes, count);
    const int type = numbers_below(&n, 2) ? INCO_F32 : INCO_F64, task = (int)numbers_below(&n, 4);
    const int64_t dim = 1 + numbers_below(&n, 10), atoms = 1 + numbers_below(&n, 20),
                  signals = 1 + numbers_below(&n, 6);
    const double bound = numbers_below(&n, 101) / 100.;
    inco_options *o = coder_options(&n);
    inco_mat d = numbers_matrix(&n, type, dim, atoms), x = numbers_matrix(&n, type, dim, signals);
    if (task == 0) check_coder(&d, &x, o);
    if (task == 1) check_encode(&d, &x, o);
    if (task == 2) check_inspect(&d), check_compare(&d, &x);
    if (task == 3) check_decohere(&d, bound);
    inco_mat_free(&d);
    inco_mat_free(&x);
    inco_options_free(o);
    return 0;
}
