/* Coherence, spectrum, and inco_inspect. */
#include "check.h"

#include <stdlib.h>

#include "base/memory.h"
#include "mat/blas.h"
#include "metric/coherence.h"
#include "metric/gram.h"
#include "metric/spectrum.h"
#include "metric/tally.h"

static inco_metrics inspect(const inco_mat *d, const inco_options *options) {
    inco_metrics m = INCO_INIT(inco_metrics);
    inco_error error = {0};
    if (inco_inspect(d, options, &m, &error) != INCO_OK) fail_msg("%s", error.message);
    return m;
}

static inco_mat new_mat(inco_type type, int64_t rows, int64_t cols) {
    inco_mat m;
    assert_int_equal(inco_mat_new(&m, type, rows, cols, NULL), INCO_OK);
    return m;
}

/* ---- Known frames ---- */

/* Three directions in the plane, 120 degrees apart. */
static inco_mat mercedes(inco_type type) {
    inco_mat d = new_mat(type, 2, 3);
    for (int64_t j = 0; j < 3; j++) {
        mat_set(&d, 0, j, cos(2 * M_PI / 3 * (double)j));
        mat_set(&d, 1, j, sin(2 * M_PI / 3 * (double)j));
    }
    return d;
}

/* The six diagonals of an icosahedron: (0, 1, +-phi) and its rotations. */
static inco_mat icosahedron(inco_type type) {
    inco_mat d = new_mat(type, 3, 6);
    for (int64_t j = 0; j < 6; j++) {
        mat_set(&d, (j / 2 + 1) % 3, j, 1);
        mat_set(&d, (j / 2 + 2) % 3, j, (j % 2 ? -1 : 1) * (1 + sqrt(5)) / 2);
    }
    return d;
}

/* Sixteen atoms in six dimensions: each edge of a square with diagonals is a dimension; each corner has four atoms on
 * its three edges, with the signs of a Hadamard matrix without its first row. */
static inco_mat steiner(inco_type type) {
    const int edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    const int sign[3][4] = {{1, -1, 1, -1}, {1, 1, -1, -1}, {1, -1, -1, 1}};
    inco_mat d = new_mat(type, 6, 16);
    for (int corner = 0; corner < 4; corner++)
        for (int e = 0, k = 0; e < 6; e++) {
            if (edge[e][0] != corner && edge[e][1] != corner) continue;
            for (int j = 0; j < 4; j++) mat_set(&d, e, 4 * corner + j, sign[k][j]);
            k++;
        }
    return d;
}

static void check_equiangular(inco_mat d, double mu, double tolerance) {
    inco_metrics m = inspect(&d, NULL);
    const double flat = sqrt((double)d.cols / (double)d.rows);
    assert_near(m.welch, mu, 1e-15);
    assert_near(m.coherence_max, mu, tolerance);
    assert_near(m.coherence_rms, mu, tolerance);
    assert_near(m.coherence_mean, mu, tolerance);
    assert_near(m.coherence_median, mu, tolerance);
    assert_int_equal(m.erc_sparsity, 1);
    assert_int_equal(m.babel_count, d.cols - 1);
    for (int64_t k = 0; k < m.babel_count; k++) assert_near(m.babel[k], (double)(k + 1) * mu, 20 * tolerance);
    assert_int_equal(m.singular_count, d.rows);
    assert_near(m.flat_singular, flat, 1e-15);
    for (int64_t k = 0; k < d.rows; k++) assert_near(m.singular[k], flat, 4 * tolerance);
    assert_near(m.frame_lower, flat * flat, 20 * tolerance);
    assert_near(m.frame_upper, flat * flat, 20 * tolerance);
    assert_int_equal(m.histogram[(int)(mu * 100)] + m.histogram[(int)(mu * 100) - 1], d.cols * (d.cols - 1) / 2);
    assert_int_equal(m.duplicates, 0);
    assert_int_equal(m.zero_atoms, 0);
    inco_metrics_free(&m);
    assert_null(m.singular);
    inco_mat_free(&d);
}

static void equiangular_frames_come_out_as_such(void **state) {
    (void)state;
    check_equiangular(mercedes(INCO_F64), 0.5, 1e-15);
    check_equiangular(icosahedron(INCO_F64), 1 / sqrt(5), 1e-15);
    check_equiangular(steiner(INCO_F64), 1.0 / 3, 1e-15);
    check_equiangular(mercedes(INCO_F32), 0.5, 1e-7);
    check_equiangular(icosahedron(INCO_F32), 1 / sqrt(5), 1e-7);
    check_equiangular(steiner(INCO_F32), 1.0 / 3, 1e-15); /* its signs are exact in float too */
}

/* ---- Bounds ---- */

static void bounds_by_formula(void **state) {
    (void)state;
    assert_true(coherence_bound(5, 5) == 0);
    assert_true(coherence_bound(5, 1) == 0);
    assert_true(coherence_bound(5, 0) == 0);
    assert_near(coherence_bound(160, 1000), 0.07249, 5e-6);
    assert_near(coherence_bound(64, 256), 0.10847, 5e-6);
    assert_near(coherence_bound(7, 28), 1.0 / 3, 1e-15);    /* both bounds are equal at D (D + 1) / 2 */
    assert_near(coherence_bound(8, 120), 0.5, 1e-15);       /* 120 lines of the E8 lattice attain Levenshtein's bound */
    assert_near(coherence_bound(23, 2300), 1.0 / 3, 1e-15); /* the 2300 lines of the Leech lattice's section */
    for (int64_t l = 4; l < 100; l++) assert_true(coherence_bound(2, l) <= cos(M_PI / (double)l) + 1e-15);
}

static void sparsity_by_formula(void **state) {
    (void)state;
    assert_int_equal(coherence_sparsity(1, 100), 0);
    assert_int_equal(coherence_sparsity(0.99, 100), 1);
    assert_int_equal(coherence_sparsity(1.0 / 3, 100), 1); /* k < 2 */
    assert_int_equal(coherence_sparsity(nextafter(1.0 / 3, 0), 100), 1);
    assert_int_equal(coherence_sparsity(0.33, 100), 2);
    assert_int_equal(coherence_sparsity(0.07249, 1000), 7);
    assert_int_equal(coherence_sparsity(0, 100), 100);
    assert_int_equal(coherence_sparsity(1e-300, 100), 100);
}

static void random_dictionaries_are_above_the_bound(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        int64_t dim = 1 + rng_below(5, RNG_TEST, k, 12), atoms = 2 + rng_below(6, RNG_TEST, k, 120);
        inco_mat d = check_random(k % 2 ? INCO_F32 : INCO_F64, dim, atoms, 1000 + k);
        inco_metrics m = inspect(&d, NULL);
        assert_true(m.coherence_max >= m.welch - 1e-12);
        assert_true(m.coherence_max <= 1 && m.coherence_rms <= m.coherence_max && m.coherence_mean <= m.coherence_rms);
        if (atoms > dim) /* the bound of the frame potential is attained by the RMS for any dimension */
            assert_true(m.coherence_rms >= sqrt((double)(atoms - dim) / (double)(dim * (atoms - 1))) - 1e-12);
        inco_metrics_free(&m);
        inco_mat_free(&d);
    }
}

/* ---- Against the definition ---- */

static int falling(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* |d_i'd_j| of all pairs i < j; if `table` is not NULL, also of each atom with the others, as its rows. */
static double *all_pairs(const inco_mat *d, double *table) {
    const int64_t n = d->cols;
    double *values = calloc((size_t)(n * n), sizeof *values), *next = values;
    inco_mat unit;
    assert_int_equal(mat_convert(&unit, d, INCO_F64, NULL), INCO_OK);
    mat_normalize_columns(&unit, NULL);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++, next++) {
            const double *a = mat_column(&unit, i), *b = mat_column(&unit, j);
            double sum = 0;
            for (int64_t k = 0; k < d->rows; k++) sum += a[k] * b[k];
            *next = fabs(sum);
            if (table) table[i * n + j] = table[j * n + i] = *next;
        }
    inco_mat_free(&unit);
    return values;
}

static void check_by_hand(inco_type type, int64_t dim, int64_t atoms) {
    inco_mat d = check_random(type, dim, atoms, (uint64_t)(dim * 1000 + atoms));
    inco_options *options = OPTIONS("duplicates", "0.8", "threads", "2");
    inco_metrics m = inspect(&d, options);
    const int64_t pairs = atoms * (atoms - 1) / 2;
    double *table = calloc((size_t)(atoms * atoms), sizeof *table), *v = all_pairs(&d, table);
    double sum = 0, squares = 0, babel[TALLY_BABEL] = {0};
    int64_t duplicates = 0, histogram[TALLY_BINS] = {0}, counted = 0;
    qsort(v, (size_t)pairs, sizeof *v, falling);
    for (int64_t k = 0; k < pairs; k++) {
        sum += v[k], squares += v[k] * v[k];
        duplicates += v[k] >= 0.8;
        histogram[(int)(v[k] * 100)]++;
    }
    for (int64_t j = 0; j < atoms; j++) {
        double total = 0;
        qsort(table + j * atoms, (size_t)atoms, sizeof *table, falling);
        for (int64_t k = 0; k < m.babel_count; k++) babel[k] = fmax(babel[k], total += table[j * atoms + k]);
    }
    assert_near(m.coherence_max, v[0], 1e-14);
    assert_near(m.coherence_mean, sum / (double)pairs, 1e-13);
    assert_near(m.coherence_rms, sqrt(squares / (double)pairs), 1e-13);
    assert_near(m.coherence_median, (v[(pairs - 1) / 2] + v[pairs / 2]) / 2, 1e-14);
    assert_int_equal(m.duplicates, duplicates);
    assert_int_equal(m.babel_count, atoms - 1 < TALLY_BABEL ? atoms - 1 : TALLY_BABEL);
    for (int64_t k = 0; k < m.babel_count; k++) assert_near(m.babel[k], babel[k], 1e-12);
    for (int k = 0; k < TALLY_BINS; k++) {
        assert_true(llabs(m.histogram[k] - histogram[k]) <= 1); /* a value may be within rounding of a border */
        counted += m.histogram[k];
    }
    assert_int_equal(counted, pairs);
    assert_int_equal(m.pair_count, pairs < TALLY_PAIRS ? pairs : TALLY_PAIRS);
    for (int64_t k = 0; k < m.pair_count; k++) {
        const int64_t first = m.pair_first[k], second = m.pair_second[k];
        double g = 0;
        for (int64_t i = 0; i < dim; i++) g += mat_get(&d, i, first) * mat_get(&d, i, second);
        assert_true(first < second);
        assert_near(fabs(m.pair_similarity[k]), v[k], 1e-14);
        assert_near(m.pair_similarity[k], g / mat_column_norm(&d, first) / mat_column_norm(&d, second), 1e-14);
    }
    free(v);
    free(table);
    inco_metrics_free(&m);
    inco_options_free(options);
    inco_mat_free(&d);
}

/* Nearest atoms, their distribution and the list of near duplicates, with atom 3 zero. */
static void check_neighbours_by_hand(inco_type type, int64_t dim, int64_t atoms) {
    inco_mat d = check_random(type, dim, atoms, (uint64_t)(dim + atoms));
    for (int64_t i = 0; i < dim; i++) mat_set(&d, i, 3, 0);
    inco_options *options = OPTIONS("duplicates", "0.5", "threads", "2");
    inco_metrics m = inspect(&d, options);
    double *table = calloc((size_t)(atoms * atoms), sizeof *table), *v = all_pairs(&d, table);
    double *best = calloc((size_t)atoms, sizeof *best);
    int64_t listed = 0, counted = 0;
    free(v);
    assert_int_equal(m.nearest_count, atoms);
    for (int64_t j = 0, k = 0; j < atoms; j++) {
        const double *row = table + j * atoms;
        const int64_t other = m.nearest[j];
        if (j == 3) assert_true(other == -1 && isnan(m.nearest_similarity[j]));
        if (j == 3) continue;
        assert_true(other >= 0 && other != j && other != 3);
        for (int64_t i = 0; i < atoms; i++) {
            best[k] = i != j && row[i] > best[k] ? row[i] : best[k];
            listed += i < j && i != 3 && row[i] >= 0.5;
        }
        assert_near(fabs(m.nearest_similarity[j]), best[k], 1e-14);
        assert_near(row[other], best[k], 1e-14);
        k++;
    }
    qsort(best, (size_t)(atoms - 1), sizeof *best, falling);
    assert_int_equal(m.quantile_count, 9);
    for (int64_t q = 0; q < 9; q++) {
        const double place = m.quantile_level[q] * (double)(atoms - 2);
        const int64_t low = (int64_t)place, high = low + 1 < atoms - 1 ? low + 1 : low;
        const double a = best[atoms - 2 - low], b = best[atoms - 2 - high];
        assert_near(m.nearest_quantile[q], a + (place - (double)low) * (b - a), 1e-13);
    }
    for (int k = 0; k < TALLY_BINS; k++) counted += m.nearest_histogram[k];
    assert_int_equal(counted, atoms - 1);
    assert_int_equal(m.duplicate_count, m.duplicates);
    assert_int_equal(m.duplicate_count, listed);
    for (int64_t k = 0; k < m.duplicate_count; k++) {
        const int64_t first = m.duplicate_first[k], second = m.duplicate_second[k];
        assert_true(first < second && first != 3 && second != 3);
        assert_near(fabs(m.duplicate_similarity[k]), table[first * atoms + second], 1e-14);
        assert_true(!k || fabs(m.duplicate_similarity[k]) <= fabs(m.duplicate_similarity[k - 1]));
    }
    free(best);
    free(table);
    inco_metrics_free(&m);
    inco_options_free(options);
    inco_mat_free(&d);
}

static void neighbours_agree_with_every_pair_by_hand(void **state) {
    (void)state;
    check_neighbours_by_hand(INCO_F64, 7, 20);
    check_neighbours_by_hand(INCO_F32, 12, 2 * GRAM_BLOCK + 5);
    check_neighbours_by_hand(INCO_F64, 4, 3 * GRAM_BLOCK - 7);
}

static void same_arrays(const void *a, const void *b, int64_t count) {
    assert_memory_equal(a, b, (size_t)count * sizeof(double));
}

/* Compares all arrays, then all numbers, without pointers. */
static void same_bits(inco_metrics a, inco_metrics b) {
    same_arrays(a.singular, b.singular, a.singular_count);
    same_arrays(a.babel, b.babel, a.babel_count);
    same_arrays(a.histogram, b.histogram, a.histogram_count);
    same_arrays(a.pair_first, b.pair_first, a.pair_count);
    same_arrays(a.pair_second, b.pair_second, a.pair_count);
    same_arrays(a.pair_similarity, b.pair_similarity, a.pair_count);
    same_arrays(a.nearest, b.nearest, a.nearest_count);
    same_arrays(a.nearest_similarity, b.nearest_similarity, a.nearest_count);
    same_arrays(a.nearest_histogram, b.nearest_histogram, a.histogram_count);
    same_arrays(a.nearest_quantile, b.nearest_quantile, a.quantile_count);
    same_arrays(a.duplicate_first, b.duplicate_first, a.duplicate_count);
    same_arrays(a.duplicate_second, b.duplicate_second, a.duplicate_count);
    same_arrays(a.duplicate_similarity, b.duplicate_similarity, a.duplicate_count);
    inco_metrics *const both[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        inco_metrics *m = both[i], released = *m;
        inco_metrics_free(&released);
        m->owner = NULL;
        m->babel = m->singular = m->pair_similarity = NULL;
        m->histogram = m->pair_first = m->pair_second = NULL;
        m->nearest = m->nearest_histogram = m->duplicate_first = m->duplicate_second = NULL;
        m->nearest_similarity = m->nearest_quantile = m->quantile_level = m->duplicate_similarity = NULL;
    }
    assert_memory_equal(&a, &b, sizeof a);
}

/* More near duplicates than are listed: those listed are the most coherent ones, whatever the number of threads. */
static void a_long_list_of_duplicates_is_cut(void **state) {
    (void)state;
    inco_mat d = check_random(INCO_F32, 3, 2600, 77);
    inco_options *one = OPTIONS("threads", "1", "duplicates", "0.1"),
                 *two = OPTIONS("threads", "2", "duplicates", "0.1");
    inco_metrics m = inspect(&d, one);
    double *v = all_pairs(&d, NULL);
    const int64_t pairs = 2600 * 2599 / 2;
    int64_t larger = 0;
    assert_true(m.duplicates > 2 * TALLY_LISTED);
    assert_int_equal(m.duplicate_count, TALLY_LISTED);
    for (int64_t k = 0; k < pairs; k++) larger += v[k] > fabs(m.duplicate_similarity[TALLY_LISTED - 1]) + 1e-14;
    assert_true(larger <= TALLY_LISTED && larger > TALLY_LISTED - 100);
    same_bits(m, inspect(&d, two));
    free(v);
    inco_options_free(one);
    inco_options_free(two);
    inco_mat_free(&d);
}

static void blocks_agree_with_every_pair_by_hand(void **state) {
    const int64_t atoms[] = {2,
                             3,
                             20,
                             65,
                             66,
                             GRAM_BLOCK - 1,
                             GRAM_BLOCK,
                             GRAM_BLOCK + 1,
                             2 * GRAM_BLOCK,
                             2 * GRAM_BLOCK + 1,
                             3 * GRAM_BLOCK - 7,
                             4 * GRAM_BLOCK + 5};
    (void)state;
    for (size_t k = 0; k < sizeof atoms / sizeof *atoms; k++)
        check_by_hand(k % 2 ? INCO_F32 : INCO_F64, k % 3 ? 7 : 24, atoms[k]);
}

/* More pairs than are stored: the median comes from bins. At most half of the values may be beyond its margin on either
 * side. */
static void median_of_many_pairs(void **state) {
    const int64_t atoms = 4200, pairs = atoms * (atoms - 1) / 2;
    int64_t below = 0, above = 0;
    (void)state;
    inco_mat d = check_random(INCO_F32, 6, atoms, 8);
    inco_metrics m = inspect(&d, NULL);
    double *v = all_pairs(&d, NULL);
    for (int64_t k = 0; k < pairs; k++) {
        below += v[k] < m.coherence_median - 1e-6;
        above += v[k] > m.coherence_median + 1e-6;
    }
    assert_true(below <= pairs / 2 && above <= pairs / 2);
    assert_true(below > pairs / 2 - 1000 && above > pairs / 2 - 1000); /* the margin holds few values */
    free(v);
    inco_metrics_free(&m);
    inco_mat_free(&d);
}

static void bits_do_not_depend_on_threads(void **state) {
    const char *const threads[] = {"2", "3", "8"};
    (void)state;
    inco_mat d = check_random(INCO_F32, 30, 5 * GRAM_BLOCK + 40, 21), unit;
    coherence one, many;
    assert_int_equal(mat_convert(&unit, &d, INCO_F64, NULL), INCO_OK);
    mat_normalize_columns(&unit, NULL);
    assert_int_equal(coherence_measure(&unit, 1, &one, NULL), INCO_OK);
    for (int i = 0; i < 3; i++) {
        inco_options *single = OPTIONS("threads", "1", "duplicates", "0.5");
        inco_options *several = OPTIONS("threads", threads[i], "duplicates", "0.5");
        same_bits(inspect(&d, single), inspect(&d, several));
        assert_int_equal(coherence_measure(&unit, atoi(threads[i]), &many, NULL), INCO_OK);
        assert_memory_equal(&one, &many, sizeof one);
        inco_options_free(single);
        inco_options_free(several);
    }
    inco_mat_free(&unit);
    inco_mat_free(&d);
}

static void quick_measure_agrees_with_inspect(void **state) {
    (void)state;
    for (int64_t atoms = 1; atoms < 1200; atoms = 3 * atoms + 1) {
        inco_mat d = check_dictionary(INCO_F64, 16, atoms, 33);
        inco_metrics m = inspect(&d, NULL);
        coherence mu;
        assert_int_equal(coherence_measure(&d, 2, &mu, NULL), INCO_OK);
        assert_near(mu.max, m.coherence_max, 1e-14);
        assert_near(mu.rms, m.coherence_rms, 1e-14);
        assert_near(mu.mean, m.coherence_mean, 1e-14);
        inco_metrics_free(&m);
        inco_mat_free(&d);
    }
}

/* ---- Spectrum ---- */

/* A wide dictionary is reduced in blocks, also with a singular value that D D' would lose. */
static void spectrum_of_wide_dictionaries(void **state) {
    const int64_t atoms[] = {10, 79, 80, 81, 400, 4000};
    const int64_t dim = 20;
    (void)state;
    for (size_t k = 0; k < sizeof atoms / sizeof *atoms; k++)
        for (int threads = 1; threads <= 3; threads += 2) {
            inco_mat d = check_random(INCO_F64, dim, atoms[k], 44);
            double whole[20], streamed[20], squares = 0;
            for (int64_t j = 0; j < d.cols; j++) mat_set(&d, 7, j, 1e-10 * mat_get(&d, 7, j));
            mat_normalize_columns(&d, NULL);
            const gram_atoms all = {&d, NULL, NULL, d.cols};
            const int64_t count = atoms[k] < dim ? atoms[k] : dim;
            assert_int_equal(lapack_singular_values(&d, whole, NULL), INCO_OK);
            assert_int_equal(spectrum_measure(&all, threads, streamed, NULL), INCO_OK);
            for (int64_t i = 0; i < count; i++) {
                assert_near(streamed[i], whole[i], 1e-12 * whole[0]);
                squares += streamed[i] * streamed[i];
            }
            assert_near(squares, (double)atoms[k], 1e-10 * (double)atoms[k]);
            if (atoms[k] > 4 * dim) assert_near(streamed[dim - 1] / whole[dim - 1], 1, 1e-4);
            if (atoms[k] > 4 * dim) assert_true(streamed[dim - 1] > 1e-11 && streamed[dim - 1] < 1e-7);
            inco_mat_free(&d);
        }
}

/* ---- Odd dictionaries ---- */

static void duplicate_opposite_and_zero_atoms(void **state) {
    const inco_type types[] = {INCO_F32, INCO_F64};
    inco_options *strict = OPTIONS("duplicates", "1"), *none = OPTIONS("duplicates", "0");
    (void)state;
    for (int k = 0; k < 2; k++) {
        inco_mat d = check_random(types[k], 9, 30, 55);
        for (int64_t i = 0; i < 9; i++) {
            mat_set(&d, i, 4, 3 * mat_get(&d, i, 20));  /* the same direction */
            mat_set(&d, i, 5, -2 * mat_get(&d, i, 11)); /* the opposite one */
            mat_set(&d, i, 7, 0);
            mat_set(&d, i, 29, 0);
        }
        inco_metrics m = inspect(&d, strict), all = inspect(&d, none);
        assert_int_equal(m.zero_atoms, 2);
        assert_int_equal(m.atoms, 30);
        assert_true(m.norm_min == 0);
        assert_near(m.coherence_max, 1, 1e-15);
        assert_int_equal(m.erc_sparsity, 0);
        assert_int_equal(m.duplicates, 2);
        assert_int_equal(all.duplicates, 28 * 27 / 2);
        int same = m.pair_first[0] == 4 ? 0 : 1;
        assert_int_equal(m.pair_first[same], 4);
        assert_int_equal(m.pair_second[same], 20);
        assert_near(m.pair_similarity[same], 1, 1e-14);
        assert_int_equal(m.pair_first[1 - same], 5);
        assert_int_equal(m.pair_second[1 - same], 11);
        assert_near(m.pair_similarity[1 - same], -1, 1e-14);
        assert_near(m.welch, coherence_bound(9, 28), 1e-15);
        assert_near(m.flat_singular, sqrt(28.0 / 9), 1e-15);
        inco_metrics_free(&m);
        inco_metrics_free(&all);
        inco_mat_free(&d);
    }
    inco_options_free(strict);
    inco_options_free(none);
}

static void norms_do_not_matter(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 9, 30, 56), scaled;
    assert_int_equal(mat_convert(&scaled, &d, INCO_F64, NULL), INCO_OK);
    for (int64_t j = 0; j < 30; j++)
        for (int64_t i = 0; i < 9; i++) mat_set(&scaled, i, j, mat_get(&d, i, j) * pow(10, 20 * (double)(j - 15)));
    inco_metrics a = inspect(&d, NULL), b = inspect(&scaled, NULL);
    assert_near(a.norm_min, 1, 1e-14);
    assert_near(a.norm_max, 1, 1e-14);
    assert_near(b.norm_min / 1e-300, 1, 1e-12);
    assert_near(b.norm_max / 1e280, 1, 1e-12);
    assert_near(a.coherence_max, b.coherence_max, 1e-13);
    assert_near(a.coherence_median, b.coherence_median, 1e-13);
    for (int k = 0; k < 9; k++) assert_near(a.singular[k], b.singular[k], 1e-12);
    assert_near(a.frame_lower, a.singular[8] * a.singular[8], 1e-13);
    assert_near(a.frame_upper, a.singular[0] * a.singular[0], 1e-13);
    inco_metrics_free(&a);
    inco_metrics_free(&b);
    inco_mat_free(&d);
    inco_mat_free(&scaled);
}

static void orthonormal_atoms(void **state) {
    (void)state;
    inco_mat d = new_mat(INCO_F32, 6, 4);
    for (int64_t j = 0; j < 4; j++) mat_set(&d, j, j, 2.5);
    inco_metrics m = inspect(&d, NULL);
    assert_true(m.coherence_max == 0 && m.coherence_median == 0 && m.welch == 0 && m.babel[2] == 0);
    assert_int_equal(m.erc_sparsity, 4);
    assert_int_equal(m.singular_count, 4);
    for (int k = 0; k < 4; k++) assert_near(m.singular[k], 1, 1e-14);
    assert_int_equal(m.rank, 4);
    assert_near(m.flat_singular, 1, 1e-15);
    assert_near(m.frame_lower, 1, 1e-14); /* in the span of the atoms */
    assert_near(m.frame_upper, 1, 1e-14);
    inco_metrics_free(&m);
    inco_mat_free(&d);
}

static void few_atoms_or_none(void **state) {
    (void)state;
    inco_mat one = check_random(INCO_F64, 5, 1, 3), none = new_mat(INCO_F64, 5, 0), flat = new_mat(INCO_F64, 0, 3);
    inco_mat zeros = new_mat(INCO_F32, 5, 3);
    inco_metrics m = inspect(&one, NULL);
    assert_true(m.coherence_max == 0 && m.coherence_rms == 0 && m.coherence_mean == 0 && m.coherence_median == 0);
    assert_int_equal(m.babel_count, 0);
    assert_int_equal(m.pair_count, 0);
    assert_int_equal(m.nearest_count, 0);
    assert_int_equal(m.duplicate_count, 0);
    assert_int_equal(m.erc_sparsity, 1);
    assert_int_equal(m.singular_count, 1);
    assert_near(m.singular[0], 1, 1e-15);
    assert_true(m.norm_min == m.norm_max && m.norm_min > 0);
    inco_metrics_free(&m);
    m = inspect(&none, NULL);
    assert_int_equal(m.atoms, 0);
    assert_int_equal(m.singular_count, 0);
    assert_true(m.norm_max == 0 && m.frame_upper == 0);
    inco_metrics_free(&m);
    m = inspect(&zeros, NULL);
    assert_int_equal(m.zero_atoms, 3);
    assert_int_equal(m.singular_count, 3);
    assert_true(m.singular[0] == 0 && m.coherence_max == 0);
    inco_metrics_free(&m);
    m = inspect(&flat, NULL);
    assert_int_equal(m.zero_atoms, 3);
    inco_metrics_free(&m);
    inco_metrics_free(NULL);
    inco_mat_free(&one);
    inco_mat_free(&none);
    inco_mat_free(&zeros);
    inco_mat_free(&flat);
}

/* A view of a larger matrix gives the same results as a copy. */
static void leading_dimension_is_kept_to(void **state) {
    (void)state;
    inco_mat large = check_random(INCO_F32, 12, 40, 9), part = {INCO_F32, 9, 40, 12, large.data, NULL}, compact;
    assert_int_equal(mat_convert(&compact, &part, INCO_F32, NULL), INCO_OK);
    same_bits(inspect(&part, NULL), inspect(&compact, NULL));
    inco_mat_free(&large);
    inco_mat_free(&compact);
}

static void numbers_are_checked(void **state) {
    const double bad[] = {NAN, INFINITY, -INFINITY};
    inco_metrics m = INCO_INIT(inco_metrics);
    inco_error error;
    (void)state;
    for (int k = 0; k < 3; k++) {
        inco_mat d = check_random(k % 2 ? INCO_F32 : INCO_F64, 9, 30, 57);
        mat_set(&d, 6, 17, bad[k]);
        assert_int_equal(inco_inspect(&d, NULL, &m, &error), INCO_EDATA);
        assert_non_null(strstr(error.message, "atom 17, feature 6 (counted from 0)"));
        inco_metrics_free(&m);
        inco_mat_free(&d);
    }
    inco_mat d = check_random(INCO_F64, 9, 30, 57);
    for (int64_t i = 0; i < 9; i++) mat_set(&d, i, 3, 1.5e308);
    assert_int_equal(inco_inspect(&d, NULL, &m, &error), INCO_EDATA);
    assert_non_null(strstr(error.message, "atom 3"));
    d.type = 7;
    assert_int_equal(inco_inspect(&d, NULL, &m, &error), INCO_EINVAL);
    d.type = INCO_F64;
    inco_mat_free(&d);
}

static void lack_of_memory_is_reported(void **state) {
    const int64_t atoms[] = {30, 90, 4200};
    (void)state;
    for (int i = 0; i < 3; i++) {
        inco_mat d = check_random(INCO_F32, 6, atoms[i], 58);
        inco_options *options = OPTIONS("threads", "1");
        inco_metrics m = INCO_INIT(inco_metrics);
        memory_fail_at(0);
        inco_metrics whole = inspect(&d, options);
        int64_t allocations = memory_fail_at(0);
        inco_metrics_free(&whole);
        assert_true(allocations > 10);
        if (atoms[i] > 1000) allocations = 8; /* those before the slow pass over pairs */
        for (int64_t k = 1; k <= allocations; k++) {
            inco_error error = {0};
            memory_fail_at(k);
            assert_int_equal(inco_inspect(&d, options, &m, &error), INCO_ENOMEM);
            assert_int_equal(error.code, INCO_ENOMEM);
            assert_null(m.singular);
        }
        memory_fail_at(0);
        inco_options_free(options);
        inco_mat_free(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equiangular_frames_come_out_as_such),
        cmocka_unit_test(bounds_by_formula),
        cmocka_unit_test(sparsity_by_formula),
        cmocka_unit_test(random_dictionaries_are_above_the_bound),
        cmocka_unit_test(blocks_agree_with_every_pair_by_hand),
        cmocka_unit_test(neighbours_agree_with_every_pair_by_hand),
        cmocka_unit_test(a_long_list_of_duplicates_is_cut),
        cmocka_unit_test(median_of_many_pairs),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(quick_measure_agrees_with_inspect),
        cmocka_unit_test(spectrum_of_wide_dictionaries),
        cmocka_unit_test(duplicate_opposite_and_zero_atoms),
        cmocka_unit_test(norms_do_not_matter),
        cmocka_unit_test(orthonormal_atoms),
        cmocka_unit_test(few_atoms_or_none),
        cmocka_unit_test(leading_dimension_is_kept_to),
        cmocka_unit_test(numbers_are_checked),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
