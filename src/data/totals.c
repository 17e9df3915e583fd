#include "data/totals.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/tree.h"
#include "code/coder.h"

enum {
    AT_RESIDUAL,
    AT_ENERGY,
    AT_NONZEROS,
    AT_SKIPPED,
    AT_ZERO,
    AT_CARDINALITY,
    AT_WEIGHT,
    AT_MISSING,
    AT_EMPTY,
    AT_COUNTS
};

struct totals {
    int64_t atoms;
    int threads;
    cluster *by;
    tree_sum *tree;
    coder_counts seen; /* by the coder so far */
    double *sum;
};

totals *totals_new(int64_t atoms, int threads, cluster *by) {
    totals *t = NEW(totals, 1);
    if (!t) return NULL;
    *t = (totals){.atoms = atoms, .threads = threads, .by = by, .sum = NEW(double, AT_COUNTS + atoms)};
    t->tree = tree_new(AT_COUNTS + atoms, AT_COUNTS + atoms, 1);
    if (t->tree && t->sum) return t;
    totals_free(t);
    return NULL;
}

void totals_free(totals *t) {
    if (!t) return;
    tree_free(t->tree);
    memory_free(t->sum);
    memory_free(t);
}

void totals_begin(totals *t, const inco_coder *coder) {
    t->seen = coder_seen(coder);
}

static void count_missing(const pass_group *group, double *leaf) {
    const int64_t dim = group->x->rows;
    for (int64_t n = 0; group->missing && n < group->x->cols; n++) {
        int64_t missing = 0;
        for (int64_t i = 0; i < dim; i++) missing += group->missing[n * dim + i];
        leaf[missing < dim ? AT_MISSING : AT_EMPTY] += missing < dim ? (double)missing : 1;
    }
}

int totals_add(totals *t, const inco_mat *dictionary, const inco_coder *coder, const pass_group *group,
               inco_error *error) {
    const coder_counts seen = coder_seen(coder);
    const csc *codes = group->codes;
    double *leaf = tree_next(t->tree);
    if (!leaf) return error_no_memory(error);
    int status = pass_error(dictionary, group, t->threads, &leaf[AT_RESIDUAL], &leaf[AT_ENERGY], error);
    if (status < 0) return status;
    leaf[AT_NONZEROS] = (double)csc_nonzeros(codes);
    leaf[AT_SKIPPED] = (double)(seen.skipped - t->seen.skipped);
    leaf[AT_ZERO] = (double)(seen.zero_signals - t->seen.zero_signals);
    leaf[AT_CARDINALITY] = pass_total_nonzeros(group);
    leaf[AT_WEIGHT] = pass_total_weight(group);
    count_missing(group, leaf);
    for (int64_t n = 0; n < codes->cols; n++) /* signals of weight 0 do not count */
        for (int64_t k = codes->start[n]; k < codes->start[n + 1] && pass_weight(group, n) > 0; k++)
            leaf[AT_COUNTS + codes->index[k]]++;
    t->seen = seen;
    tree_push(t->tree, group->number);
    return INCO_OK;
}

int totals_find(totals *t, int64_t groups, totals_sum *sum, inco_error *error) {
    const int64_t length = AT_COUNTS + t->atoms;
    double *total;
    int status;
    TRY(tree_reduce(t->tree, t->by, groups, &total, error));
    for (int64_t i = 0; total && i < length; i++) t->sum[i] = total[i];
    TRY(cluster_broadcast(t->by, t->sum, (size_t)length * sizeof *t->sum, error));
    *sum = (totals_sum){.residual = t->sum[AT_RESIDUAL],
                        .energy = t->sum[AT_ENERGY],
                        .nonzeros = (int64_t)t->sum[AT_NONZEROS],
                        .skipped = (int64_t)t->sum[AT_SKIPPED],
                        .zero_signals = (int64_t)t->sum[AT_ZERO],
                        .cardinality = t->sum[AT_CARDINALITY],
                        .weight = t->sum[AT_WEIGHT],
                        .missing = (int64_t)t->sum[AT_MISSING],
                        .empty = (int64_t)t->sum[AT_EMPTY],
                        .use_count = t->sum + AT_COUNTS};
done:
    return status;
}
