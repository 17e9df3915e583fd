#include "mat/gaps.h"

#include <math.h>

#include "mat/mat.h"

/* Squared norm of the observed entries, and the number of the others, without branches. */
static double sum_observed(const inco_mat *x, int64_t n, int64_t *missing) {
    const void *column = mat_column(x, n);
    double sum = 0;
    int64_t gaps = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        const double value = x->type == INCO_F32 ? (double)((const float *)column)[i] : ((const double *)column)[i];
        const int observed = value == value; /* not NaN */
        sum += observed ? value * value : 0;
        gaps += !observed;
    }
    *missing = gaps;
    return sum;
}

int64_t gaps_count(const inco_mat *x, int64_t n) {
    int64_t missing;
    sum_observed(x, n, &missing);
    return missing;
}

double gaps_energy(const inco_mat *x, int64_t n) {
    int64_t missing;
    const double energy = sum_observed(x, n, &missing);
    return missing ? energy : mat_column_energy(x, n);
}

/* If squares may have overflowed or underflowed, scales by the largest entry first. */
double gaps_norm(const inco_mat *x, int64_t n) {
    int64_t missing;
    const double energy = sum_observed(x, n, &missing), rows = (double)x->rows;
    double largest = 0, sum = 0;
    if (!missing) return mat_column_norm(x, n);
    if (energy > 1e-200 && energy < 1e200) return sqrt(energy * rows / (rows - (double)missing));
    for (int64_t i = 0; i < x->rows; i++) largest = fmax(largest, fabs(mat_get(x, i, n))); /* fmax ignores NaN */
    if (largest == 0 || !isfinite(largest)) return largest;
    for (int64_t i = 0; i < x->rows; i++) {
        const double value = mat_get(x, i, n) / largest;
        if (!isnan(value)) sum += value * value;
    }
    return largest * sqrt(sum * rows / (rows - (double)missing));
}

double gaps_mean(const inco_mat *x, int64_t n) {
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        if (isnan(mat_get(x, i, n))) continue;
        sum += mat_get(x, i, n);
        count++;
    }
    return count ? sum / (double)count : 0;
}

void gaps_divide(const inco_mat *x, int64_t n, double by) {
    for (int64_t i = 0; i < x->rows; i++) mat_set(x, i, n, mat_get(x, i, n) / by);
}

void gaps_zero(const inco_mat *x) {
    for (int64_t n = 0; n < x->cols; n++)
        for (int64_t i = 0; i < x->rows; i++)
            if (isnan(mat_get(x, i, n))) mat_set(x, i, n, 0);
}

/* x'y and y'y over the observed entries of x. */
static void observed_products(const inco_mat *x, int64_t n, const double *y, double *xy, double *yy) {
    *xy = *yy = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        const double value = mat_get(x, i, n);
        if (isnan(value)) continue;
        *xy += value * y[i];
        *yy += y[i] * y[i];
    }
}

void gaps_fill_along(const inco_mat *x, int64_t n, const double *y) {
    double xy, yy;
    observed_products(x, n, y, &xy, &yy);
    for (int64_t i = 0; i < x->rows; i++)
        if (isnan(mat_get(x, i, n))) mat_set(x, i, n, yy > 0 ? xy / yy * y[i] : 0);
}

void gaps_fill_by_mean(const inco_mat *x, double *mean) {
    for (int64_t i = 0; i < x->rows; i++) {
        int64_t count = 0;
        mean[i] = 0;
        for (int64_t n = 0; n < x->cols; n++) {
            if (isnan(mat_get(x, i, n))) continue;
            mean[i] += mat_get(x, i, n);
            count++;
        }
        if (count) mean[i] /= (double)count;
    }
    for (int64_t n = 0; n < x->cols; n++) gaps_fill_along(x, n, mean);
}

void gaps_fill_by_atom(const inco_mat *x, int64_t n, const inco_mat *d) {
    double best = 0, xy, yy;
    int64_t chosen = -1;
    for (int64_t j = 0; j < d->cols; j++) {
        observed_products(x, n, mat_column(d, j), &xy, &yy);
        if (yy < GAPS_LEAST || xy * xy / yy <= best) continue;
        best = xy * xy / yy;
        chosen = j;
    }
    const inco_mat one = mat_columns(x, n, 1);
    if (chosen >= 0)
        gaps_fill_along(x, n, mat_column(d, chosen));
    else
        gaps_zero(&one);
}

int gaps_check(const inco_mat *x, int64_t *row, int64_t *col) {
    int64_t first, from;
    if (!mat_find_nonfinite(x, &first, &from)) return 0;
    for (int64_t n = from; n < x->cols; n++)
        for (int64_t i = 0; i < x->rows; i++) {
            const double value = mat_get(x, i, n);
            if (isnan(value)) mat_set(x, i, n, NAN);
            if (!isinf(value)) continue;
            *row = i;
            *col = n;
            return 1;
        }
    return 0;
}
