#include "learn/replace.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/rng.h"
#include "mat/mat.h"

/* ---- The worst signals ---- */

int worst_new(worst_list *list, int64_t room) {
    *list = (worst_list){NEW(worst_signal, room), 0, room};
    return list->item ? INCO_OK : INCO_ENOMEM;
}

void worst_free(worst_list *list) {
    memory_free(list->item);
}

/* By falling error; among equals the earlier signal first. */
static int compare(const void *a, const void *b) {
    const worst_signal *x = a, *y = b;
    if (x->error != y->error) return x->error > y->error ? -1 : 1;
    return (x->signal > y->signal) - (x->signal < y->signal);
}

static int better(const worst_signal *a, const worst_signal *b) {
    return compare(a, b) > 0;
}

static void sink(worst_list *list, int64_t i) {
    for (;;) {
        int64_t least = i;
        for (int64_t child = 2 * i + 1; child <= 2 * i + 2; child++)
            if (child < list->count && better(&list->item[child], &list->item[least])) least = child;
        if (least == i) return;
        worst_signal swap = list->item[i];
        list->item[i] = list->item[least];
        list->item[i = least] = swap;
    }
}

void worst_offer(worst_list *list, int64_t signal, double error) {
    worst_signal offered = {error, signal};
    if (list->count < list->room) {
        int64_t i = list->count++;
        for (; i > 0 && better(&offered, &list->item[(i - 1) / 2]); i = (i - 1) / 2)
            list->item[i] = list->item[(i - 1) / 2];
        list->item[i] = offered;
    } else if (better(&list->item[0], &offered)) {
        list->item[0] = offered;
        sink(list, 0);
    }
}

void worst_sort(worst_list *list) {
    qsort(list->item, (size_t)list->count, sizeof *list->item, compare);
}

/* ---- Replacing ---- */

/* The n-th signal to replace an atom with; -1 when there are no more. */
static int64_t candidate(const replacement *how, int64_t n) {
    if (how->policy == UNUSED_WORST) return n < how->worst->count ? how->worst->item[n].signal : -1;
    return n < how->source->count
               ? rng_below(how->seed, RNG_REPLACE, how->round << 32 | (uint64_t)n, how->source->count)
               : -1;
}

/* Puts the next signal with energy into column j of d. 0 when none is left. */
static int take_signal(inco_mat *d, int64_t j, const replacement *how, int64_t *tried, inco_error *error) {
    inco_mat signal = {0};
    int status = mat_new_raw(&signal, how->source->type, d->rows, 1, error), found = 0;
    for (int64_t n; status >= 0 && !found && (n = candidate(how, (*tried)++)) >= 0;) {
        status = how->source->read(how->source->self, n, 1, signal.data, error);
        if (status < 0 || mat_column_norm(&signal, 0) == 0) continue;
        inco_mat column = mat_columns(d, j, 1);
        mat_copy(&column, &signal);
        mat_normalize_columns(&column, NULL);
        found = 1;
    }
    inco_mat_free(&signal);
    return status < 0 ? status : found;
}

int replace_unused(inco_mat *d, const statistics *s, const replacement *how, int64_t *replaced, inco_error *error) {
    int64_t tried = 0;
    *replaced = 0;
    if (how->policy == UNUSED_KEEP) return INCO_OK;
    for (int64_t j = 0; j < d->cols; j++) {
        if (mat_get(&s->a, j, j) != 0) continue;
        int found = take_signal(d, j, how, &tried, error);
        if (found < 0) return found;
        if (!found) break;
        ++*replaced;
    }
    return INCO_OK;
}
