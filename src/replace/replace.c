#include "replace/replace.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/rng.h"
#include "base/source.h"
#include "data/draw.h"
#include "mat/blas.h"
#include "mat/gaps.h"
#include "mat/mat.h"

/* ---- Options ---- */

static const option_row rows[] = {
    CHOICE_OPTION(replace_options, unused, "unused", "NAME", "worst", "keep|worst|sample", INCO_LEARN, "Replacement",
                  "atoms that no signal uses are kept, or replaced by the signal with the largest error or by a "
                  "random signal"),
    INTEGER_OPTION(replace_options, min_uses, "min-uses", "K", "1", 1, OPTION_MANY, INCO_LEARN, "Replacement",
                   "an atom is unused if fewer than K signals use it (by their weights: if at most K - 1 do); the rule "
                   "of the original K-SVD is option 'min-uses' = 4 with option 'replace' = 0.99"),
    REAL_OPTION(replace_options, replace, "replace", "MU", NULL, 0, 1, INCO_LEARN, "Replacement",
                "ksvd, aksvd: after every update, replace an atom with |d_i'd_j| > MU for some other atom by the "
                "signal with the largest error (default: never)"),
    CHOICE_OPTION(replace_options, last, "replace-last", "NAME", "skip", "skip|published", INCO_LEARN, "Replacement",
                  "option 'replace': what becomes of the replacements chosen after the last update: skip: the "
                  "dictionary written has learned atoms only; published: they are applied, as after every other "
                  "update"),
    FLAG_OPTION(replace_options, exchange, "exchange", INCO_LEARN, "Replacement",
                "after every update, replace atoms that reduce the error little by common directions of the largest "
                "residuals, where these reduce it more (default: yes if idl learns in growing batches, option "
                "'schedule'; else no)"),
};

const options_part replace_part = {OPTIONS_PART(rows, replace_options)};

int replace_check(const inco_options *options, inco_error *error) {
    const replace_options *o = replace_options_of(options);
    if (o->exchange && !isnan(o->replace))
        return error_set(error, INCO_EINVAL,
                         "options 'exchange' and 'replace' both replace coherent atoms: give one of them");
    if (inco_options_given(options, "replace-last") && isnan(o->replace))
        return error_set(error, INCO_EINVAL, "option 'replace-last' needs option 'replace'");
    if (inco_options_given(options, "min-uses") && o->unused == UNUSED_KEEP)
        return error_set(error, INCO_EINVAL,
                         "option 'min-uses' replaces atoms, option 'unused' = 'keep' replaces none: give one of them");
    return INCO_OK;
}

/* ---- The list ---- */

int replace_new(replacement_list *list, int64_t dim, int64_t atoms, int64_t lines, inco_error *error) {
    *list = (replacement_list){.item = NEW(replacement, atoms)};
    int status = list->item ? INCO_OK : error_no_memory(error);
    if (status >= 0 && lines > 0) status = mat_new_raw(&list->lines, INCO_F64, dim, lines, error);
    if (status < 0) replace_free(list);
    return status;
}

void replace_free(replacement_list *list) {
    memory_free(list->item);
    inco_mat_free(&list->lines);
    *list = (replacement_list){0};
}

/* ---- Choice ---- */

enum { PANEL = 128 }; /* columns of the Gram matrix computed together */

typedef struct choosing {
    const replacement_rule *rule;
    replacement_list *list;
    inco_mat signal;       /* the last signal read */
    int64_t worst, sample; /* number of signals tried */
    int64_t *drawn, draws; /* random signals, drawn when the first one is needed */
    uint64_t *content;     /* of the signals chosen; as many as items were added to the list */
    int64_t contents;
    inco_mat d, panel; /* with a bound: the atoms, with replacements so far; some columns of D'D */
    int64_t first;     /* first column of the panel */
} choosing;

/* Missing entries are filled by the atom that is nearest. */
static int read_signal(const inco_source *source, int64_t n, const inco_mat *d, const inco_mat *signal,
                       inco_error *error) {
    const int status = source_read(source, n, 1, signal->data, error);
    if (status >= 0 && gaps_count(signal, 0)) gaps_fill_by_atom(signal, 0, d);
    return status;
}

static int is_unused(const replacement_rule *rule, int64_t j) {
    return rule->use_weight[j] <= rule->min_uses - 1 && rule->policy != UNUSED_KEEP;
}

/* Draws one signal per unused atom (W-3). */
static int draw(choosing *c, inco_error *error) {
    const replacement_rule *rule = c->rule;
    draw_task task = {
        .signals = rule->source, .seed = rng_bits(rule->seed, RNG_REPLACE, rule->round), .threads = rule->threads};
    if (c->drawn) return INCO_OK;
    for (int64_t j = 0; j < rule->d->cols; j++) task.count += is_unused(rule, j);
    if (!(c->drawn = NEW(int64_t, task.count))) return error_no_memory(error);
    return draw_signals(&task, c->drawn, &c->draws, error);
}

/* Returns the next signal to try; -1: no more. */
static int64_t candidate(choosing *c, int policy) {
    const replacement_rule *rule = c->rule;
    if (policy == UNUSED_WORST) return c->worst < rule->worst->count ? rule->worst->item[c->worst++].signal : -1;
    return c->sample < c->draws ? c->drawn[c->sample++] : -1;
}

/* Whether the signal just read is nonzero and unlike those chosen before. */
static int is_new(choosing *c) {
    const uint64_t content = draw_content(&c->signal, 0, 0);
    if (!content) return 0;
    for (int64_t i = 0; i < c->contents; i++)
        if (c->content[i] == content) return 0;
    c->content[c->contents++] = content;
    return 1;
}

/* Returns whether another atom is too coherent with atom j. Called in ascending order of j; the Gram matrix is computed
 * in panels. */
static int is_coherent(choosing *c, int64_t j) {
    if (!c->d.data) return 0;
    if (j % PANEL == 0) {
        inco_mat columns = mat_columns(&c->d, j, range_min(c->d.cols - j, PANEL));
        inco_mat to = mat_columns(&c->panel, 0, columns.cols);
        blas_multiply(c->rule->threads, "TN", 1, &c->d, &columns, 0, &to);
        c->first = j;
    }
    const double *g = mat_column(&c->panel, j - c->first);
    for (int64_t i = 0; i < c->d.cols; i++)
        if (i != j && fabs(g[i]) > c->rule->bound) return 1;
    return 0;
}

/* Replaces atom j by the signal in d, and in the products with later atoms. */
static void put_signal(choosing *c, int64_t j) {
    inco_mat column = mat_columns(&c->d, j, 1);
    if (!c->d.data) return;
    mat_copy(&column, &c->signal);
    mat_normalize_columns(&column, NULL);
    for (int64_t k = j + 1; k < c->d.cols && k < c->first + PANEL; k++)
        mat_set(&c->panel, j, k - c->first, blas_dot(c->d.rows, column.data, mat_column(&c->d, k)));
}

/* Replaces atom j by the next new signal, if there is one. */
static int choose_for(choosing *c, int64_t j, int policy, int reason, inco_error *error) {
    int64_t n;
    int status = policy == UNUSED_SAMPLE ? draw(c, error) : INCO_OK;
    if (status < 0) return status;
    while ((n = candidate(c, policy)) >= 0) {
        if ((status = read_signal(c->rule->source, n, c->rule->d, &c->signal, error)) < 0) return status;
        if (is_new(c)) break;
    }
    if (n < 0) return INCO_OK;
    c->list->item[c->list->count++] = (replacement){j, n, reason};
    put_signal(c, j);
    return INCO_OK;
}

int replace_choose(replacement_list *list, const replacement_rule *rule, inco_error *error) {
    const int64_t atoms = rule->d->cols;
    choosing c = {.rule = rule, .list = list};
    int status = INCO_OK;
    if (rule->policy == UNUSED_KEEP && isnan(rule->bound)) return status;
    TRY(mat_new_raw(&c.signal, rule->source->type, rule->source->dim, 1, error));
    if (!(c.content = NEW(uint64_t, atoms))) TRY(error_no_memory(error));
    if (!isnan(rule->bound)) {
        TRY(mat_new_raw(&c.panel, INCO_F64, atoms, PANEL, error));
        TRY(mat_convert(&c.d, rule->d, INCO_F64, error));
    }
    for (int64_t j = 0; j < atoms; j++) {
        const int coherent = is_coherent(&c, j);
        if (is_unused(rule, j))
            TRY(choose_for(&c, j, rule->policy, REPLACED_UNUSED, error));
        else if (coherent)
            TRY(choose_for(&c, j, UNUSED_WORST, REPLACED_COHERENT, error));
    }
done:
    MAT_FREE_ALL(&c.signal, &c.panel, &c.d);
    memory_free(c.drawn);
    memory_free(c.content);
    return status;
}

/* ---- Replacement ---- */

int64_t replace_count(const replacement_list *list, int64_t reason) {
    int64_t count = 0;
    for (int64_t i = 0; i < list->count; i++) count += list->item[i].reason == reason;
    return count;
}

int replace_apply(const replacement_list *list, inco_mat *d, const inco_source *source, inco_error *error) {
    inco_mat signal = {0};
    int status = INCO_OK;
    if (list->count == 0) return status;
    TRY(mat_new_raw(&signal, source->type, source->dim, 1, error));
    for (int64_t i = 0; i < list->count; i++) {
        const replacement *item = &list->item[i];
        const int line = item->reason == REPLACED_EXCHANGED;
        const inco_mat from = line ? mat_columns(&list->lines, item->by, 1) : signal;
        inco_mat column = mat_columns(d, item->atom, 1);
        if (!line) TRY(read_signal(source, item->by, d, &signal, error));
        mat_copy(&column, &from);
        mat_normalize_columns(&column, NULL);
    }
done:
    inco_mat_free(&signal);
    return status;
}
