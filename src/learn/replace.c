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

/* The n-th signal to try; -1 when there are no more. */
static int64_t candidate(const replacement_rule *rule, int64_t n) {
    if (rule->policy == UNUSED_WORST) return n < rule->worst->count ? rule->worst->item[n].signal : -1;
    const int64_t signals = rule->source->count;
    return n < signals ? rng_below(rule->seed, RNG_REPLACE, rule->round << 32 | (uint64_t)n, signals) : -1;
}

static int read_signal(const inco_source *source, int64_t n, const inco_mat *signal, inco_error *error) {
    return source->read(source->self, n, 1, signal->data, error);
}

int replace_choose(replacement_list *list, const statistics *s, const replacement_rule *rule, inco_error *error) {
    inco_mat signal = {0};
    int64_t tried = 0, n = 0;
    int status = INCO_OK;
    list->count = 0;
    if (rule->policy == UNUSED_KEEP) return status;
    TRY(mat_new_raw(&signal, rule->source->type, rule->source->dim, 1, error));
    for (int64_t j = 0; j < s->a.cols && n >= 0; j++) {
        if (mat_get(&s->a, j, j) != 0) continue;
        while ((n = candidate(rule, tried++)) >= 0) {
            TRY(read_signal(rule->source, n, &signal, error));
            if (mat_column_norm(&signal, 0) > 0) break;
        }
        if (n >= 0) list->item[list->count++] = (replacement){j, n};
    }
done:
    inco_mat_free(&signal);
    return status;
}

int replace_apply(const replacement_list *list, inco_mat *d, const inco_source *source, inco_error *error) {
    inco_mat signal = {0};
    int status = INCO_OK;
    if (list->count == 0) return status;
    TRY(mat_new_raw(&signal, source->type, source->dim, 1, error));
    for (int64_t i = 0; i < list->count; i++) {
        inco_mat column = mat_columns(d, list->item[i].atom, 1);
        TRY(read_signal(source, list->item[i].signal, &signal, error));
        mat_copy(&column, &signal);
        mat_normalize_columns(&column, NULL);
    }
done:
    inco_mat_free(&signal);
    return status;
}
