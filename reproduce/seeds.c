/* Results over the seeds: medians and quartiles. */
#include <math.h>
#include <stdlib.h>

#include "reproduce.h"

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Linear interpolation, like NumPy. */
static double quantile(const double *sorted, int count, double q) {
    const double place = q * (count - 1);
    const int below = (int)floor(place), above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

/* Sorts the values. NaN where one of them is. */
static spread summarise(double *value, int count) {
    for (int i = 0; i < count; i++)
        if (isnan(value[i])) return (spread){NAN, NAN, NAN};
    qsort(value, (size_t)count, sizeof *value, compare);
    return (spread){quantile(value, count, 0.5), quantile(value, count, 0.25), quantile(value, count, 0.75)};
}

spread seeds_ratio(const experiment *e, const grid_run *g, const grid_run *base, const char *name, double at) {
    double *value = g ? calloc((size_t)e->seeds, sizeof *value) : NULL;
    spread found = {NAN, NAN, NAN};
    for (int s = 0; value && s < e->seeds; s++) {
        value[s] = numbers_at(reproduce_figures(e, s, g), name, at);
        if (base) value[s] /= numbers_at(reproduce_figures(e, s, base), name, at);
    }
    if (value) found = summarise(value, e->seeds);
    free(value);
    return found;
}

spread seeds_over(const experiment *e, const grid_run *g, const char *name, double at) {
    return seeds_ratio(e, g, NULL, name, at);
}

double *seeds_list(const experiment *e, const grid_run *g, const char *name, int *count, const double **at) {
    const double *places = NULL, *value;
    *count = numbers_of(reproduce_figures(e, 0, g), name, &places, &value);
    double *median = *count ? calloc((size_t)*count, sizeof *median) : NULL;
    if (!median) *count = 0;
    for (int i = 0; i < *count; i++) median[i] = seeds_over(e, g, name, places[i]).median;
    if (at) *at = places;
    return median;
}
