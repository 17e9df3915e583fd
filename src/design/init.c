/* Initial dictionaries. */
#include "design/init.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/rng.h"
#include "base/source.h"
#include "data/draw.h"
#include "mat/gaps.h"
#include "mat/mat.h"

/* ---- Signals ---- */

typedef struct choice {
    int64_t signal, atom;
} choice;

static int by_signal(const void *a, const void *b) {
    const int64_t x = ((const choice *)a)->signal, y = ((const choice *)b)->signal;
    return (x > y) - (x < y);
}

static int fill_gaps(const inco_mat *d, inco_error *error) {
    double *mean = NEW_RAW(double, d->rows);
    if (!mean) return error_no_memory(error);
    gaps_fill_by_mean(d, mean);
    memory_free(mean);
    return INCO_OK;
}

/* Reads the signals into the atoms, in ascending order: a source may be read from front to back. Fills their gaps. */
static int read_atoms(const inco_mat *d, const int64_t *signals, const inco_source *source, inco_error *error) {
    inco_mat buffer = {0};
    choice *list = NEW_RAW(choice, d->cols);
    int status = list ? mat_new_raw(&buffer, source->type, source->dim, 1, error) : error_no_memory(error);
    for (int64_t j = 0; status >= 0 && j < d->cols; j++) list[j] = (choice){signals[j], j};
    if (status >= 0) qsort(list, (size_t)d->cols, sizeof *list, by_signal);
    for (int64_t i = 0; status >= 0 && i < d->cols; i++) {
        const inco_mat atom = mat_columns(d, list[i].atom, 1);
        status = source_read(source, list[i].signal, 1, buffer.data, error);
        if (status >= 0) mat_copy(&atom, &buffer);
    }
    if (status >= 0 && source->missing) status = fill_gaps(d, error);
    inco_mat_free(&buffer);
    memory_free(list);
    return status;
}

/* Signals drawn by content and weight (W-3). */
int init_sample(inco_mat *d, const inco_source *source, uint64_t seed, int threads, inco_error *error) {
    const draw_task task = {source, rng_bits(seed, RNG_INIT, 0), d->cols, threads};
    int64_t found, *chosen = NEW_RAW(int64_t, d->cols);
    int status;
    if (!chosen) TRY(error_no_memory(error));
    if (source->dim != d->rows)
        TRY(error_set(error, INCO_EDIM, "the signals have %lld features, the dictionary %lld", (long long)source->dim,
                      (long long)d->rows));
    TRY(draw_signals(&task, chosen, &found, error));
    if (found < d->cols)
        TRY(error_set(
            error, INCO_EDATA,
            "option 'init' = 'sample' needs at least as many signals as atoms: %lld distinct nonzero signals, "
            "%lld atoms; give more signals, fewer atoms, or option 'init' = 'dct' or random",
            (long long)found, (long long)d->cols));
    TRY(read_atoms(d, chosen, source, error));
    mat_normalize_columns(d, NULL);
done:
    memory_free(chosen);
    return status;
}

/* ---- Cosines ---- */

/* Entry i of the k-th of `count` cosines over n samples. If count > n: frequencies pi k / count, as in the overcomplete
 * DCT; else the first ones of the orthonormal DCT. */
static double cosine(int64_t n, int64_t count, int64_t k, int64_t i) {
    const double pi = 3.14159265358979323846;
    if (count > n) return cos(pi * (double)k * (double)i / (double)count);
    return cos(pi * (double)k * ((double)i + 0.5) / (double)n);
}

/* The cosines minus their means (except for the constant one), normalised. */
static int cosines(inco_mat *m, int64_t n, int64_t count, inco_error *error) {
    int status = mat_new_raw(m, INCO_F64, n, count, error);
    if (status < 0) return status;
    for (int64_t k = 0; k < count; k++) {
        double *to = mat_column(m, k), mean = 0;
        for (int64_t i = 0; i < n; i++) mean += (to[i] = cosine(n, count, k, i)) / (double)n;
        for (int64_t i = 0; i < n && k > 0; i++) to[i] -= mean;
    }
    mat_normalize_columns(m, NULL);
    return INCO_OK;
}

/* Number of cosines along the rows and along the columns of a patch, enough for L products: the same for both, or all
 * along one if the other is a single pixel. */
static void split_count(int64_t atoms, int64_t patch_rows, int64_t patch_cols, int64_t *down, int64_t *across) {
    int64_t side = (int64_t)ceil(sqrt((double)atoms));
    while (side * side < atoms) side++;
    *down = patch_rows == 1 ? 1 : patch_cols == 1 ? atoms : side;
    *across = patch_cols == 1 ? 1 : patch_rows == 1 ? atoms : side;
}

/* Products in ascending order of their summed frequency, the constant one first. Entry (r, c) of the patch is at
 * r * patch_cols + c. */
static void fill_products(inco_mat *d, const inco_mat *down, const inco_mat *across) {
    int64_t filled = 0;
    for (int64_t sum = 0; filled < d->cols; sum++)
        for (int64_t a = 0; a <= sum && a < down->cols && filled < d->cols; a++) {
            if (sum - a >= across->cols) continue;
            const double *u = mat_column(down, a), *v = mat_column(across, sum - a);
            double *to = mat_column(d, filled++);
            for (int64_t r = 0; r < down->rows; r++)
                for (int64_t c = 0; c < across->rows; c++) *to++ = u[r] * v[c];
        }
    mat_normalize_columns(d, NULL);
}

int init_dct(inco_mat *d, int64_t patch_rows, int64_t patch_cols, inco_error *error) {
    inco_mat down = {0}, across = {0};
    int64_t downs, acrosses;
    int status = INCO_OK;
    if (patch_rows * patch_cols != d->rows)
        return error_set(error, INCO_EDIM, "a patch of %lldx%lld has %lld pixels, the signals have %lld features",
                         (long long)patch_rows, (long long)patch_cols, (long long)(patch_rows * patch_cols),
                         (long long)d->rows);
    if (d->rows == 1 && d->cols > 1)
        return error_set(
            error, INCO_EDATA,
            "option 'init' = 'dct' has only one atom for signals of one value, not %lld; give option 'atoms' = 1",
            (long long)d->cols);
    split_count(d->cols, patch_rows, patch_cols, &downs, &acrosses);
    TRY(cosines(&down, patch_rows, downs, error));
    TRY(cosines(&across, patch_cols, acrosses, error));
    fill_products(d, &down, &across);
done:
    inco_mat_free(&down);
    inco_mat_free(&across);
    return status;
}

/* ---- Random directions ---- */

int init_random(inco_mat *d, uint64_t seed, inco_error *error) {
    (void)error;
    for (int64_t j = 0; j < d->cols; j++)
        for (int64_t i = 0; i < d->rows; i++) mat_set(d, i, j, rng_normal(seed, RNG_INIT, (uint64_t)(j * d->rows + i)));
    mat_normalize_columns(d, NULL);
    return INCO_OK;
}
