/* Missing entries (docs/theory/missing.md): coding and learning from the observed ones. */
#include "learning.h"

#include "code/coder.h"
#include "code/coders.h"
#include "data/missing.h"
#include "data/prepare.h"
#include "mat/blas.h"
#include "mat/gaps.h"
#include "update/update.h"

enum { DIM = 16, ATOMS = 24, SIGNALS = 1200, SPARSITY = 3 };

/* ---- Signals with gaps ---- */

static void make_gaps(const inco_mat *x, double share) {
    for (int64_t n = 0; n < x->cols; n++)
        for (int64_t i = 0; i < x->rows; i++)
            if ((double)rng_below(91, RNG_TEST, (uint64_t)(n * x->rows + i), 1000) < 1000 * share)
                mat_set(x, i, n, NAN);
}

static inco_mat some_signals(inco_type type, double share, inco_mat *truth) {
    *truth = check_dictionary(type, DIM, ATOMS, 92);
    inco_mat x = planted_signals(truth, SIGNALS, SPARSITY, 93);
    make_gaps(&x, share);
    return x;
}

static inco_mat copy_of(const inco_mat *x) {
    inco_mat copy;
    assert_int_equal(mat_convert(&copy, x, x->type, NULL), INCO_OK);
    return copy;
}

static int same_bits(const inco_mat *a, const inco_mat *b) {
    return a->cols == b->cols && !memcmp(a->data, b->data, (size_t)(a->rows * a->cols) * a->type);
}

static inco_mat learned(const inco_mat *x, inco_options *o, inco_learn_info *info) {
    inco_error error = {0};
    inco_mat d;
    if (learn(x, o, &d, info, &error) != INCO_OK) fail_msg("%s", error.message);
    return d;
}

/* ---- Coding ---- */

/* Codes by a coder of this kind, and the residuals. */
static csc codes_of(const inco_mat *d, const inco_mat *x, int coder, int64_t sparsity, double *residual) {
    const coder_options rules = coder_options_for(coder, sparsity);
    inco_coder *own;
    csc codes;
    assert_int_equal(coder_new(&own, d, x->type, &rules, 2, NULL), INCO_OK);
    assert_int_equal(coder_take_gaps(own, NULL), INCO_OK);
    assert_int_equal(coder_run(own, x, &codes, residual, NULL), INCO_OK);
    inco_coder_free(own);
    return codes;
}

/* Least squares of signal n on some atoms over its observed entries: the residual in r, its energy. */
static double fit_observed(const inco_mat *d, const inco_mat *x, int64_t n, const int32_t *support, int64_t count,
                           double *r) {
    double gram[SPARSITY * SPARSITY], c[SPARSITY], energy = 0;
    inco_mat g = mat_view(INCO_F64, count, count, gram);
    for (int64_t k = 0; k < count; k++) {
        c[k] = 0;
        for (int64_t m = 0; m < count; m++) gram[k * count + m] = 0;
        for (int64_t i = 0; i < DIM; i++) {
            if (isnan(mat_get(x, i, n))) continue;
            c[k] += mat_get(d, i, support[k]) * mat_get(x, i, n);
            for (int64_t m = 0; m < count; m++)
                gram[k * count + m] += mat_get(d, i, support[k]) * mat_get(d, i, support[m]);
        }
    }
    if (count > 0 && !lapack_solve_positive(&g, c)) return INFINITY;
    for (int64_t i = 0; i < DIM; i++) {
        const int missing = isnan(mat_get(x, i, n));
        r[i] = missing ? 0 : mat_get(x, i, n);
        for (int64_t k = 0; k < count && !missing; k++) r[i] -= c[k] * mat_get(d, i, support[k]);
        energy += r[i] * r[i];
    }
    return energy;
}

/* The atom that OMP adds: the largest |d'r| / |d| over the observed entries; OLS: the smallest residual. */
static int32_t next_atom(const inco_mat *d, const inco_mat *x, int64_t n, int32_t *support, int64_t count, int ols) {
    double r[DIM], other[DIM], best = -INFINITY;
    int32_t chosen = -1;
    fit_observed(d, x, n, support, count, r);
    for (int32_t j = 0; j < ATOMS; j++) {
        double product = 0, square = 0;
        int taken = 0;
        for (int64_t k = 0; k < count; k++) taken |= support[k] == j;
        for (int64_t i = 0; i < DIM; i++) {
            if (isnan(mat_get(x, i, n))) continue;
            product += mat_get(d, i, j) * r[i];
            square += mat_get(d, i, j) * mat_get(d, i, j);
        }
        support[count] = j;
        const double key = ols ? -fit_observed(d, x, n, support, count + 1, other) : fabs(product) / sqrt(square);
        if (taken || square < GAPS_LEAST || key <= best) continue;
        best = key;
        chosen = j;
    }
    return support[count] = chosen;
}

static void check_pursuit(int coder) {
    inco_mat truth, x = some_signals(INCO_F64, 0.4, &truth);
    double *residual = NEW(double, x.cols), r[DIM];
    csc codes = codes_of(&truth, &x, coder, SPARSITY, residual);
    for (int64_t n = 0; n < x.cols; n++) {
        int32_t support[SPARSITY + 1];
        int64_t count = 0, used = codes.start[n + 1] - codes.start[n];
        while (count < used) next_atom(&truth, &x, n, support, count, coder == CODER_OLS), count++;
        assert_near(residual[n], fit_observed(&truth, &x, n, support, count, r), 1e-9);
        if (residual[n] < 1e-20) continue; /* a tie of all atoms in the last step */
        for (int64_t k = 0; k < count; k++) {
            int found = 0;
            for (int64_t m = codes.start[n]; m < codes.start[n + 1]; m++) found |= codes.index[m] == support[k];
            assert_true(found);
        }
    }
    csc_free(&codes);
    memory_free(residual);
    inco_mat_free(&x);
    inco_mat_free(&truth);
}

static void omp_follows_its_definition(void **state) {
    (void)state;
    check_pursuit(CODER_OMP);
}

static void ols_follows_its_definition(void **state) {
    (void)state;
    check_pursuit(CODER_OLS);
}

/* An atom of which next to nothing is observed is not chosen, although it would explain that. */
static void unobserved_atoms_are_not_chosen(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat d, x;
    assert_int_equal(inco_mat_new(&d, type, 4, 2, NULL), INCO_OK);
    assert_int_equal(inco_mat_new(&x, type, 4, 1, NULL), INCO_OK);
    mat_set(&d, 0, 0, 0.05);
    mat_set(&d, 3, 0, sqrt(1 - 0.05 * 0.05));
    for (int i = 0; i < 4; i++) mat_set(&d, i, 1, 0.5);
    for (int i = 0; i < 3; i++) mat_set(&x, i, 0, i == 0);
    mat_set(&x, 3, 0, NAN);
    csc codes = codes_of(&d, &x, CODER_OMP, 2, NULL);
    assert_int_equal(csc_nonzeros(&codes), 1);
    assert_int_equal(codes.index[0], 1);
    csc_free(&codes);
    inco_mat_free(&d);
    inco_mat_free(&x);
}

/* Also among signals with gaps; a signal without an observed entry has no code. */
static void complete_signals_keep_their_codes(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth, x = some_signals(type, 0, &truth), gaps = copy_of(&x);
    double *before = NEW(double, x.cols), *after = NEW(double, x.cols);
    for (int64_t n = 0; n < x.cols; n += 3)
        for (int64_t i = n % 2; i < DIM; i += n % 9 ? 2 : 1) mat_set(&gaps, i, n, NAN);
    csc codes = codes_of(&truth, &x, CODER_OMP, SPARSITY, before);
    csc other = codes_of(&truth, &gaps, CODER_OMP, SPARSITY, after);
    for (int64_t n = 0; n < x.cols; n++) {
        const int64_t first = codes.start[n], at = other.start[n], count = other.start[n + 1] - at;
        if (n % 18 == 0) assert_int_equal(count, 0);
        if (n % 3 == 0) continue;
        assert_int_equal(count, codes.start[n + 1] - first);
        assert_true(before[n] == after[n]);
        for (int64_t k = 0; k < count; k++)
            assert_true(codes.index[first + k] == other.index[at + k] &&
                        csc_value(&codes, first + k) == csc_value(&other, at + k));
    }
    csc_free(&codes);
    csc_free(&other);
    memory_free(before);
    memory_free(after);
    MAT_FREE_ALL(&x, &gaps, &truth);
}

/* Errors count observed entries; decoding the codes fills the others. */
static void encode_measures_observed_entries(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth, x = some_signals(type, 0.3, &truth), y;
    inco_options *o = OPTIONS("coder", "omp", "sparsity", "3", "missing", "nan");
    inco_encode_info info = INCO_INIT(inco_encode_info);
    inco_csc codes;
    double error = 0, energy = 0;
    int64_t missing = 0;
    for (int64_t i = 0; i < DIM; i++) mat_set(&x, i, 7, NAN);
    inco_source source = mat_source_of(&x);
    assert_int_equal(inco_encode(&truth, &source, o, &codes, &info, NULL), INCO_OK);
    assert_int_equal(inco_decode(&truth, &codes, NULL, &y, NULL), INCO_OK);
    for (int64_t n = 0; n < x.cols; n++)
        for (int64_t i = 0; i < DIM; i++) {
            const double value = mat_get(&x, i, n), rest = value - mat_get(&y, i, n);
            assert_true(isfinite(mat_get(&y, i, n)));
            missing += isnan(value) && n != 7;
            error += isnan(value) ? 0 : rest * rest;
            energy += isnan(value) ? 0 : value * value;
        }
    assert_near(info.relative_error, sqrt(error / energy), type == INCO_F32 ? 1e-6 : 1e-12);
    assert_int_equal(info.missing_entries, missing);
    assert_int_equal(info.empty_signals, 1);
    assert_int_equal(codes.start[8] - codes.start[7], 0);
    inco_csc_free(&codes);
    inco_options_free(o);
    MAT_FREE_ALL(&x, &y, &truth);
}

static void other_coders_are_refused(void **state) {
    (void)state;
    static const char *const coders[][4] = {
        {"larc"}, {"lars", "sparsity", "2"}, {"lasso", "lambda", "0.1"}, {"omp", "nonnegative", "yes"}};
    inco_mat truth, x = some_signals(INCO_F64, 0.2, &truth), d;
    for (size_t i = 0; i < sizeof coders / sizeof *coders; i++) {
        inco_options *o = OPTIONS("atoms", "24", "coder", coders[i][0]);
        inco_error error = {0};
        if (coders[i][1]) assert_int_equal(inco_options_set(o, coders[i][1], coders[i][2], NULL), INCO_OK);
        inco_source source = mat_source_of(&x);
        source.missing = 1;
        assert_int_equal(inco_learn(&source, o, &d, NULL, &error), INCO_EINVAL);
        assert_non_null(strstr(error.message, "needs all entries of a signal"));
        inco_options_free(o);
    }
    MAT_FREE_ALL(&x, &truth);
}

/* ---- Updates ---- */

/* Codes in d, the signals filled by them, and their sums. */
typedef struct filled {
    inco_mat x, a, b; /* double */
    csc codes;
    statistics s;
} filled;

static filled fill(const inco_mat *x, const inco_mat *d) {
    filled f = {.x = copy_of(x), .codes = codes_of(d, x, CODER_OMP, SPARSITY, NULL)};
    unsigned char *missing = NEW(unsigned char, x->rows * x->cols);
    inco_mat c;
    assert_int_equal(missing_fill(&(filling){d, NULL, &f.codes, &f.x, missing, 2}, NULL), 1);
    assert_int_equal(inco_mat_new(&c, INCO_F64, d->cols, x->cols, NULL), INCO_OK);
    assert_int_equal(inco_mat_new(&f.a, INCO_F64, d->cols, d->cols, NULL), INCO_OK);
    assert_int_equal(inco_mat_new(&f.b, INCO_F64, d->rows, d->cols, NULL), INCO_OK);
    for (int64_t n = 0; n < x->cols; n++)
        for (int64_t k = f.codes.start[n]; k < f.codes.start[n + 1]; k++)
            mat_set(&c, f.codes.index[k], n, csc_value(&f.codes, k));
    blas_multiply(1, "NT", 1, &c, &c, 0, &f.a);
    blas_multiply(1, "NT", 1, &f.x, &c, 0, &f.b);
    const double energy = blas_dot(x->rows * x->cols, f.x.data, f.x.data);
    f.s = (statistics){f.a, f.b, energy, energy};
    memory_free(missing);
    inco_mat_free(&c);
    return f;
}

static void free_filled(filled *f) {
    csc_free(&f->codes);
    MAT_FREE_ALL(&f->x, &f->a, &f->b);
}

/* The objective over the observed entries of x, for the codes given. */
static double objective(const inco_mat *x, const inco_mat *d, const csc *codes, double gamma) {
    double sum = 0;
    for (int64_t n = 0; n < x->cols; n++)
        for (int64_t i = 0; i < x->rows; i++) {
            double rest = mat_get(x, i, n);
            if (isnan(rest)) continue;
            for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++)
                rest -= csc_value(codes, k) * mat_get(d, i, codes->index[k]);
            sum += rest * rest;
        }
    for (int64_t i = 0; i < d->cols; i++)
        for (int64_t j = 0; j < d->cols && gamma > 0; j++) {
            const double g = blas_dot(d->rows, mat_column(d, i), mat_column(d, j)) - (i == j);
            sum += gamma * g * g;
        }
    return sum;
}

/* From random atoms, alternating: at fixed codes no update increases the objective on the observed entries, and all of
 * them decrease it at first. */
static void updates_majorise(void **state) {
    (void)state;
    static const double gammas[] = {0, 2, 50};
    inco_mat truth, x = some_signals(INCO_F64, 0.5, &truth);
    for (size_t g = 0; g < 3; g++) {
        inco_mat d = check_dictionary(INCO_F64, DIM, ATOMS, 95);
        const update_settings settings = {.gamma = gammas[g], .iterations = 10, .threads = 1};
        for (int step = 0; step < 8; step++) {
            filled f = fill(&x, &d);
            update_result result;
            const double before = objective(&x, &d, &f.codes, gammas[g]);
            assert_int_equal(idl_update(&d, &f.s, &settings, &result, NULL), INCO_OK);
            const double after = objective(&x, &d, &f.codes, gammas[g]);
            assert_near(result.before, before, 1e-9 * f.s.energy);
            assert_true(after <= result.after + 1e-9 * f.s.energy);
            assert_true(after <= before + 1e-9 * f.s.energy);
            if (step == 0) assert_true(after < 0.99 * before);
            free_filled(&f);
        }
        inco_mat_free(&d);
    }
    MAT_FREE_ALL(&x, &truth);
}

/* The minimiser over free norms, which MOD normalises. */
static void mod_majorises(void **state) {
    (void)state;
    inco_mat truth, x = some_signals(INCO_F64, 0.5, &truth), d = check_dictionary(INCO_F64, DIM, ATOMS, 96);
    const update_settings settings = {.threads = 1};
    for (int step = 0; step < 8; step++) {
        filled f = fill(&x, &d);
        const double before = objective(&x, &d, &f.codes, 0);
        inco_mat a = copy_of(&f.a), free_norms = copy_of(&f.b);
        update_result result;
        assert_int_equal(lapack_solve_right(&a, &free_norms, NULL), INCO_OK);
        assert_true(objective(&x, &free_norms, &f.codes, 0) <= before);
        assert_int_equal(mod_update(&d, &f.s, &settings, &result, NULL), INCO_OK);
        mat_normalize_columns(&free_norms, NULL);
        for (int64_t j = 0; j < ATOMS; j++)
            for (int64_t i = 0; i < DIM; i++) assert_near(mat_get(&d, i, j), mat_get(&free_norms, i, j), 1e-8);
        MAT_FREE_ALL(&a, &free_norms);
        free_filled(&f);
    }
    MAT_FREE_ALL(&x, &d, &truth);
}

/* ---- Learning ---- */

static const char *const methods[][3] = {
    {"idl", "schedule", "growing"}, {"idl", "schedule", "batch"},      {"idl", "max-coherence", "0.8"},
    {"idl", "gamma", "auto"},       {"mod", "exchange", "yes"},        {"mocod", "unused", "sample"},
    {"online", "batch", "200"},     {"ksvd", "exchange", "yes"},       {"aksvd", "replace", "0.9"},
    {"aksvdc", "exchange", "yes"},  {"inksvd", "max-coherence", "0.7"}};
enum { METHODS = sizeof methods / sizeof *methods };

static inco_options *options_of(int m, const char *iterations) {
    inco_options *o = OPTIONS("method", methods[m][0], "atoms", "24", "coder", "omp", "sparsity", "3", "iterations",
                              iterations, "seed", "3", "missing", "nan");
    assert_int_equal(inco_options_set(o, methods[m][1], methods[m][2], NULL), INCO_OK);
    return o;
}

static void without_gaps_nothing_changes(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth, x = some_signals(type, 0, &truth);
    for (int m = 0; m < METHODS; m++) {
        inco_options *o = options_of(m, "3");
        inco_learn_info info = INCO_INIT(inco_learn_info), plain = INCO_INIT(inco_learn_info);
        inco_mat d = learned(&x, o, &info);
        assert_int_equal(inco_options_set(o, "missing", "refuse", NULL), INCO_OK);
        inco_mat e = learned(&x, o, &plain);
        assert_true(same_bits(&d, &e));
        assert_true(info.relative_error == plain.relative_error && info.gamma == plain.gamma);
        assert_int_equal(info.missing_entries, 0);
        MAT_FREE_ALL(&d, &e);
        inco_options_free(o);
    }
    MAT_FREE_ALL(&x, &truth);
}

/* The bits do not depend on the number of threads, and a resumed run has the same. */
static void runs_are_reproducible(void **state) {
    (void)state;
    inco_mat truth, x = some_signals(INCO_F32, 0.3, &truth);
    inco_source source = mat_source_of(&x);
    for (int m = 0; m < METHODS; m++) {
        resumption r;
        inco_options *o = options_of(m, "4");
        check_threads(&x, inco_options_copy(o));
        if (!inco_options_given(o, "gamma"))
            check_resumed(&r, &source, o, 2), resumption_free(&r);
        else
            inco_options_free(o);
    }
    MAT_FREE_ALL(&x, &truth);
}

/* Every method lowers the error of the observed entries. */
static void all_methods_learn(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth, x = some_signals(type, 0.3, &truth);
    for (int m = 0; m < METHODS; m++) {
        inco_learn_info info = INCO_INIT(inco_learn_info), start = INCO_INIT(inco_learn_info);
        inco_options *o = options_of(m, "0");
        inco_mat d = learned(&x, o, &start);
        inco_mat_free(&d);
        assert_int_equal(inco_options_set(o, "iterations", "20", NULL), INCO_OK);
        d = learned(&x, o, &info);
        assert_true(info.relative_error < 0.8 * start.relative_error);
        assert_true(info.missing_entries > 0);
        inco_mat_free(&d);
        inco_options_free(o);
    }
    MAT_FREE_ALL(&x, &truth);
}

/* Atoms found with 30 % and 50 % missing, relative to complete data. bench/missing.py has larger dictionaries. */
static void planted_atoms_are_found(void **state) {
    const inco_type type = *(inco_type *)*state;
    static const double shares[] = {0, 0.3, 0.5}, least[] = {1, 0.95, 0.85};
    enum { TRIALS = 2 };
    double found[3] = {0};
    for (int trial = 0; trial < TRIALS; trial++) {
        inco_mat truth = check_dictionary(type, 40, 60, 97 + (uint64_t)trial);
        inco_mat whole = planted_signals(&truth, 6000, 3, 98 + (uint64_t)trial);
        for (int i = 0; i < 3; i++) {
            inco_mat x = copy_of(&whole);
            make_gaps(&x, shares[i]);
            inco_options *o = OPTIONS("atoms", "60", "coder", "omp", "sparsity", "3", "missing", "nan");
            inco_mat d = learned(&x, o, NULL);
            found[i] += recovered(&truth, &d);
            inco_options_free(o);
            MAT_FREE_ALL(&x, &d);
        }
        MAT_FREE_ALL(&truth, &whole);
    }
    assert_true(found[0] > 0.9 * TRIALS);
    for (int i = 1; i < 3; i++) assert_true(found[i] >= least[i] * found[0]);
}

/* ---- What is missing ---- */

typedef struct with_mask {
    inco_mat x;
    const inco_mat *gaps; /* NaN where an entry is missing */
} with_mask;

static int read_signals(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const with_mask *w = self;
    (void)error;
    memcpy(out, mat_column(&w->x, first), (size_t)(count * w->x.rows) * w->x.type);
    return INCO_OK;
}

static int read_mask(void *self, int64_t first, int64_t count, unsigned char *out, inco_error *error) {
    const with_mask *w = self;
    (void)error;
    for (int64_t n = 0; n < count; n++)
        for (int64_t i = 0; i < w->x.rows; i++) *out++ = isnan(mat_get(w->gaps, i, first + n)) ? 0 : 255;
    return INCO_OK;
}

/* Whatever the values under it, a mask is as good as NaN; checkpoints know it. */
static void masks_mark_missing_entries(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth, gaps = some_signals(type, 0.3, &truth);
    with_mask w = {copy_of(&gaps), &gaps};
    for (int64_t n = 0; n < gaps.cols; n++)
        for (int64_t i = 0; i < DIM; i++)
            if (isnan(mat_get(&gaps, i, n))) mat_set(&w.x, i, n, n % 3 ? 1e3 * (double)i : INFINITY);
    inco_options *o = OPTIONS("atoms", "24", "sparsity", "3", "iterations", "3");
    inco_source source = mat_source_of(&w.x), marked = mat_source_of(&gaps);
    inco_mat d, e;
    source.self = &w;
    source.read = read_signals;
    source.mask = read_mask;
    marked.missing = 1;
    memory_stream *memory = calloc(1, sizeof *memory);
    inco_stream stream = MEMORY_STREAM(memory);
    inco_learner *learner;
    assert_int_equal(inco_learn(&source, o, &d, NULL, NULL), INCO_OK);
    assert_int_equal(inco_learner_new(&learner, &marked, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(learner, NULL), INCO_OK);
    e = check_learned(learner);
    assert_true(same_bits(&d, &e));
    assert_int_equal(inco_learner_save(learner, &stream, NULL), INCO_OK);
    inco_learner_free(learner);
    assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_resume(learner, &stream, NULL), INCO_OK);
    inco_learner_free(learner);
    mat_set(&gaps, 3, 5, isnan(mat_get(&gaps, 3, 5)) ? 0 : NAN); /* of the mask */
    memory->read = 0;
    assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_resume(learner, &stream, NULL), INCO_EDATA);
    inco_learner_free(learner);
    free(memory);
    inco_options_free(o);
    MAT_FREE_ALL(&d, &gaps, &w.x, &truth);
}

/* A signal without an observed entry is as good as absent; its code is zero. */
static void empty_signals_are_left_out(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth, x = some_signals(type, 0.3, &truth), more;
    inco_options *o = OPTIONS("atoms", "24", "sparsity", "3", "iterations", "3", "missing", "nan");
    inco_learn_info info = INCO_INIT(inco_learn_info);
    assert_int_equal(inco_mat_new(&more, type, DIM, SIGNALS + 2, NULL), INCO_OK);
    for (int64_t n = 0; n < more.cols; n++)
        for (int64_t i = 0; i < DIM; i++)
            mat_set(&more, i, n, n == 0 || n == 100 ? NAN : mat_get(&x, i, n - 1 - (n > 100)));
    inco_mat d = learned(&x, o, NULL), e = learned(&more, o, &info);
    assert_true(same_bits(&d, &e));
    assert_int_equal(info.signals, SIGNALS);
    assert_int_equal(info.empty_signals, 2);
    inco_source source = mat_source_of(&more);
    inco_learner *learner;
    inco_csc codes;
    assert_int_equal(inco_learner_new(&learner, &source, o, NULL), INCO_OK);
    assert_int_equal(inco_learner_run(learner, NULL), INCO_OK);
    assert_int_equal(inco_learner_encode(learner, &codes, NULL), INCO_OK);
    assert_int_equal(codes.cols, SIGNALS + 2);
    assert_int_equal(codes.start[101] - codes.start[100], 0);
    inco_csc_free(&codes);
    inco_learner_free(learner);
    inco_options_free(o);
    MAT_FREE_ALL(&x, &more, &d, &e, &truth);
}

static void missing_features_are_refused(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth, x = some_signals(type, 0.3, &truth), d;
    inco_options *o = OPTIONS("atoms", "24", "sparsity", "3", "iterations", "1", "missing", "nan");
    inco_error error;
    for (int64_t n = 0; n < x.cols; n++) mat_set(&x, 5, n, NAN);
    assert_int_equal(learn(&x, o, &d, NULL, &error), INCO_EDATA);
    assert_string_equal(error.message,
                        "feature 5 (counted from 0) is missing in all signals: leave it out of the data");
    mat_set(&x, 5, 3, INFINITY);
    assert_int_equal(learn(&x, o, &d, NULL, &error), INCO_EDATA);
    assert_string_equal(error.message, "signal 3 has a NaN or Inf at feature 5 (both from 0)");
    inco_options_free(o);
    MAT_FREE_ALL(&x, &truth);
}

/* ---- Preprocessing ---- */

/* (M-2), (M-3): the mean of a feature over the signals that have it, and unit norms as estimated. */
static void preprocessing_uses_observed_entries(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth, x = some_signals(type, 0.3, &truth);
    prepared p = {0};
    inco_source source = mat_source_of(&x);
    inco_mat y = copy_of(&x);
    source.missing = 1;
    for (int64_t n = 0; n < x.cols; n++)
        for (int64_t i = 0; i < DIM; i++) mat_set(&x, i, n, mat_get(&x, i, n) + (double)i);
    assert_int_equal(prepare(&p, &source, type, CENTER_FEATURE, 1, NULL), INCO_OK);
    assert_int_equal(source_read(&p.source, 0, x.cols, y.data, NULL), INCO_OK);
    for (int64_t i = 0; i < DIM; i++) {
        double sum = 0, count = 0;
        for (int64_t n = 0; n < x.cols; n++) {
            if (isnan(mat_get(&x, i, n))) continue;
            sum += mat_get(&x, i, n);
            count++;
        }
        assert_near(p.mean[i], sum / count, 1e-6);
    }
    for (int64_t n = 0; n < x.cols; n++) {
        assert_int_equal(gaps_count(&x, n), gaps_count(&y, n));
        if (gaps_count(&y, n) == DIM) continue;
        assert_near(gaps_energy(&y, n) * DIM / (double)(DIM - gaps_count(&y, n)), 1, 1e-5);
    }
    prepare_free(&p);
    MAT_FREE_ALL(&x, &y, &truth);
}

static void failing_memory(void **state) {
    (void)state;
    inco_mat truth, x = some_signals(INCO_F32, 0.3, &truth);
    inco_mat few = mat_columns(&x, 0, 300);
    check_failing_memory(
        &few, OPTIONS("atoms", "24", "sparsity", "2", "iterations", "1", "missing", "nan", "threads", "1"), 50);
    MAT_FREE_ALL(&x, &truth);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(omp_follows_its_definition),
        cmocka_unit_test(ols_follows_its_definition),
        BOTH(unobserved_atoms_are_not_chosen),
        BOTH(complete_signals_keep_their_codes),
        BOTH(encode_measures_observed_entries),
        cmocka_unit_test(other_coders_are_refused),
        cmocka_unit_test(updates_majorise),
        cmocka_unit_test(mod_majorises),
        BOTH(without_gaps_nothing_changes),
        cmocka_unit_test(runs_are_reproducible),
        BOTH(all_methods_learn),
        BOTH(planted_atoms_are_found),
        BOTH(masks_mark_missing_entries),
        BOTH(empty_signals_are_left_out),
        BOTH(missing_features_are_refused),
        BOTH(preprocessing_uses_observed_entries),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
