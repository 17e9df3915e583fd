/* The coders against tests/reference.h, on dictionaries with difficult choices: random, coherent, clustered, nearly
 * dependent, nearly equal atoms. `test_choices FIRST COUNT` searches that many cases for counterexamples and prints the
 * hardest; the cases below are from such a search, before choices were verified (docs/theory/pursuit.md). */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "reference.h"

#include "base/memory.h"
#include "code/coder.h"
#include "sparse/csc.h"

/* ---- Synthetic dictionaries and signals ---- */

typedef enum kind { RANDOM, TONES, COHERENT, CLUSTERED, DEPENDENT, COPIED, KINDS } kind;
static const char *const kind_name[] = {"random", "tones", "coherent", "clustered", "dependent", "copied"};

static double draw(uint64_t seed, int64_t i) {
    return rng_uniform(seed, RNG_TEST, (uint64_t)i);
}

static double choose(uint64_t seed, int64_t i, int64_t count, const double *from) {
    return from[(int64_t)(draw(seed, i) * (double)count)];
}

/* Adds `scale` times noise to every column and normalises. */
static void perturb(inco_mat *m, double scale, uint64_t seed) {
    inco_mat noise = check_random(INCO_F64, m->rows, m->cols, seed);
    for (int64_t i = 0; i < m->rows * m->cols; i++) ((double *)m->data)[i] += scale * ((double *)noise.data)[i];
    inco_mat_free(&noise);
    mat_normalize_columns(m, NULL);
}

static inco_mat tones(int64_t dim, int64_t count, uint64_t seed) {
    inco_mat m;
    assert_int_equal(inco_mat_new(&m, INCO_F64, dim, count, NULL), INCO_OK);
    for (int64_t n = 0; n < count; n++)
        for (int64_t i = 0; i < dim; i++) {
            double value = 0;
            for (int64_t k = 4 * n; k < 4 * n + 4; k++) {
                const double u = draw(seed + 1, k), phase = 6.3 * draw(seed + 2, k);
                value += rng_normal(seed + 3, RNG_TEST, (uint64_t)k) * cos(2 * u * u * (double)i + phase);
            }
            mat_set(&m, i, n, value);
        }
    perturb(&m, 0.02 / sqrt((double)dim), seed + 4);
    return m;
}

/* Adds `weight` times column `from` to column j. */
static void mix(inco_mat *m, int64_t j, int64_t from, double weight) {
    for (int64_t i = 0; i < m->rows; i++) mat_set(m, i, j, mat_get(m, i, j) + weight * mat_get(m, i, from));
}

static inco_mat make_dictionary(kind which, int64_t dim, int64_t atoms, uint64_t seed) {
    static const double near[] = {0.3, 0.1, 0.03, 0.01, 0.003};
    const double scale = choose(seed, 0, 5, near) / sqrt((double)dim);
    inco_mat m = which == TONES ? tones(dim, atoms, seed) : check_dictionary(INCO_F64, dim, atoms, seed + 5);
    const int64_t centres = 2 + (int64_t)(draw(seed, 1) * 10);
    for (int64_t j = 1; j < atoms; j++) {
        if (which == COHERENT) mix(&m, j, 0, 1 + 4 * draw(seed, 2));
        if (which == CLUSTERED && j >= centres) mix(&m, j, j % centres, 1 / (scale * sqrt((double)dim)));
        if (which == DEPENDENT && j % 3 == 2) {
            for (int64_t i = 0; i < dim; i++) mat_set(&m, i, j, 0);
            mix(&m, j, j - 1, draw(seed, 10 + j) - 0.5);
            mix(&m, j, j - 2, draw(seed, 10 + atoms + j) - 0.5);
        }
        if (which == COPIED && j % 2) {
            for (int64_t i = 0; i < dim; i++) mat_set(&m, i, j, 0);
            mix(&m, j, j - 1, 1);
        }
    }
    perturb(&m, which == DEPENDENT || which == COPIED ? scale : 0, seed + 6);
    return m;
}

/* Sums of some atoms, with noise of varying size. */
static inco_mat make_signals(const inco_mat *d, int64_t count, uint64_t seed) {
    static const double sizes[] = {1, 0.1, 0.01};
    inco_mat x;
    assert_int_equal(inco_mat_new(&x, INCO_F64, d->rows, count, NULL), INCO_OK);
    for (int64_t n = 0; n < count; n++)
        for (int k = 0; k < 6; k++) {
            const int64_t at = 6 * n + k, j = (int64_t)(draw(seed + 7, at) * (double)d->cols);
            const double c = rng_normal(seed + 8, RNG_TEST, (uint64_t)at);
            for (int64_t i = 0; i < d->rows; i++) mat_set(&x, i, n, mat_get(&x, i, n) + c * mat_get(d, i, j));
        }
    perturb(&x, choose(seed, 3, 3, sizes) / sqrt((double)d->rows), seed + 9);
    return x;
}

/* ---- A case: one dictionary, one coder ---- */

typedef struct rule {
    const char *coder, *name, *value;
    reference_rules reference;
    int path;
} rule;

static const rule rules[] = {
    {"omp", "sparsity", "8", {.sparsity = 8}, 0},
    {"omp", "sparsity", "30", {.sparsity = 30}, 0},
    {"ols", "sparsity", "8", {.ols = 1, .sparsity = 8}, 0},
    {"ols", "sparsity", "30", {.ols = 1, .sparsity = 30}, 0},
    {"omp", "tolerance", "0.1", {.sparsity = 60, .tol = 0.1}, 0},
    {"ols", "tolerance", "0.1", {.ols = 1, .sparsity = 60, .tol = 0.1}, 0},
    {"omp", "lambda", "0.1", {.sparsity = 60, .lambda = 0.1}, 0},
    {"ols", "residual-coherence", "0.35", {.ols = 1, .sparsity = 60, .mu = 0.35}, 0},
    {"lars", "sparsity", "15", {.sparsity = 15}, 1},
    {"larc", "residual-coherence", "0.35", {.sparsity = 60, .mu = 0.35}, 1},
    {"lasso", "lambda", "0.05", {.lasso = 1, .sparsity = 60, .lambda = 0.05}, 1},
};
enum { RULES = sizeof rules / sizeof *rules };

typedef struct hardness {
    int64_t signals, differ, ties, recoded;
    double margin; /* largest margin of a signal whose support differs; up to 1, rounding in double may decide */
    double error;  /* largest error of coefficients, relative to its bound */
} hardness;

static int is_wrong(const hardness *h) {
    return h->margin > 1 || h->error > 1;
}

/* Largest error of a coefficient, relative to the bound by rounding in double. */
static double error_of_values(const csc *codes, int64_t n, const reference_work *w, const reference_code *code) {
    double error = 0;
    for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++)
        for (int64_t m = 0; m < code->count; m++)
            if (code->support[m] == codes->index[k])
                error = fmax(error, fabs(csc_value(codes, k) - (double)code->value[m]));
    return error / reference_tolerance(w, code);
}

static int same_support(const csc *codes, int64_t n, const reference_code *code) {
    int64_t found = 0, zeros = 0;
    for (int64_t m = 0; m < code->count; m++) zeros += code->value[m] == 0;
    for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++) found += reference_has(code, codes->index[k]);
    return found == code->count - zeros && found == codes->start[n + 1] - codes->start[n];
}

static void compare(const inco_mat *d, const inco_mat *x, const rule *r, hardness *h) {
    reference_work w = reference_open(d);
    inco_options *o = OPTIONS("coder", r->coder, r->name, r->value, "threads", "1");
    inco_coder *coder;
    csc codes = {0};
    if (strcmp(r->name, "sparsity") != 0) assert_int_equal(inco_options_set(o, "sparsity", "60", NULL), INCO_OK);
    assert_int_equal(inco_coder_new(&coder, d, INCO_F64, o, NULL), INCO_OK);
    assert_int_equal(coder_run(coder, x, &codes, NULL, NULL), INCO_OK);
    h->recoded += coder_seen(coder).again;
    for (int64_t n = 0; n < x->cols; n++) {
        const double *signal = (const double *)x->data + n * x->rows;
        reference_rules limits = r->reference;
        if (limits.sparsity > d->rows) limits.sparsity = d->rows;
        reference_code code = r->path ? reference_path(&w, signal, &limits) : reference_pursuit(&w, signal, &limits);
        h->signals++;
        h->ties += code.margin <= 1;
        if (same_support(&codes, n, &code)) {
            if (code.margin > 1) h->error = fmax(h->error, error_of_values(&codes, n, &w, &code));
            continue;
        }
        h->differ++;
        h->margin = fmax(h->margin, (double)code.margin);
    }
    csc_free(&codes);
    inco_coder_free(coder);
    inco_options_free(o);
    reference_close(&w);
}

static hardness run_case(uint64_t number) {
    static const double dims[] = {12, 24, 40, 64};
    const kind which = (kind)(number % KINDS);
    const rule *r = &rules[number / KINDS % RULES];
    const uint64_t seed = 1000 * number;
    const int64_t dim = (int64_t)choose(seed, 4, 4, dims), atoms = dim + (int64_t)(draw(seed, 5) * 3 * (double)dim);
    inco_mat d = make_dictionary(which, dim, atoms, seed), x = make_signals(&d, 60, seed);
    hardness h = {0};
    compare(&d, &x, r, &h);
    inco_mat_free(&d);
    inco_mat_free(&x);
    return h;
}

static int search(uint64_t first, uint64_t count) {
    int found = 0;
    for (uint64_t number = first; number < first + count; number++) {
        const hardness h = run_case(number);
        const rule *r = &rules[number / KINDS % RULES];
        if (h.differ || h.ties || h.recoded > 12 || is_wrong(&h))
            printf("%llu %s %s %s %s: of %d, %d differ, %d tied, margin %.1e, error %.1e, %d recoded%s\n",
                   (unsigned long long)number, kind_name[number % KINDS], r->coder, r->name, r->value, (int)h.signals,
                   (int)h.differ, (int)h.ties, h.margin, h.error, (int)h.recoded,
                   is_wrong(&h) ? " COUNTEREXAMPLE" : "");
        found += is_wrong(&h);
    }
    printf("%d counterexamples in %llu cases\n", found, (unsigned long long)count);
    return found > 0;
}

/* Cases in which float32 does choose wrongly, by up to 4 % of the keys, when it trusts its keys to 1e-6 of ||x||; in
 * 1110 and 2948, residuals of 5e-9 ||x|| are compared with correlations; in 5265, a path skips a dependent atom. */
static void hard_choices_are_those_of_the_reference(void **state) {
    static const uint64_t hard[] = {112,  113,  121,  123,  189,  308,  310,  376,  443,  504,  520,  636,  644,  702,
                                    768,  780,  836,  900,  903,  911,  1033, 1102, 1110, 1113, 1114, 1164, 1168, 1180,
                                    1234, 1296, 1362, 1367, 1373, 1445, 1498, 1509, 1561, 1564, 2948, 4412, 5265};
    (void)state;
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        const hardness h = run_case(hard[i]);
        assert_false(is_wrong(&h));
    }
}

/* One case of every kind of dictionary with every coder. Few signals have ties: 2 %, of which most are those of OLS
 * with as many atoms as dimensions, whose last choice is between equal keys. */
static void all_choices_are_those_of_the_reference(void **state) {
    int64_t ties = 0, signals = 0;
    (void)state;
    for (uint64_t number = 0; number < KINDS * RULES; number++) {
        const hardness h = run_case(number);
        assert_false(is_wrong(&h));
        ties += h.ties;
        signals += h.signals;
    }
    assert_true(ties < signals / 20);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_choices_are_those_of_the_reference),
        cmocka_unit_test(all_choices_are_those_of_the_reference),
    };
    if (argc == 3) return search(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
