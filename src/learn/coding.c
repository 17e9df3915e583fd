#include "learn/coding.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "code/coder.h"
#include "data/gather.h"
#include "data/order.h"
#include "learn/learner_state.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "sparse/wide.h"

/* ---- Orders ---- */

/* Sends the dictionary of rank 0 to all ranks, unless one of them has failed to make its preparations. */
static int share_dictionary(learner *l, int prepared, const inco_mat *d, inco_error *error) {
    const size_t bytes = (size_t)d->rows * (size_t)d->cols * (size_t)d->type;
    int status = cluster_agree(l->cluster, prepared, error);
    return status < 0 ? status : cluster_broadcast(l->cluster, d->data, bytes, error);
}

/* Gives the order to the other ranks, with the dictionary to code in. */
static int give_order(learner *l, serve_order *order, const inco_mat *d, inco_error *error) {
    order->atoms = d->cols;
    order->held_out = l->held_out;
    order->gain = l->gain;
    int status = serve_pass_on(l->cluster, order, error);
    return status < 0 ? status : share_dictionary(l, INCO_OK, d, error);
}

/* Memory for the dictionary that rank 0 sends. */
static int make_dictionary(inco_mat *d, inco_type type, int64_t dim, int64_t atoms, inco_error *error) {
    if (d->data && d->cols == atoms) return INCO_OK;
    inco_mat_free(d);
    return inco_mat_new(d, type, dim, atoms, error);
}

/* ---- A and B ---- */

static int make_stores(learner *l, const serve_order *order, inco_error *error) {
    alternation *stores = &l->stores;
    const inco_source *signals = &l->signals;
    if (l->method->needs_codes && !stores->held.square) {
        int status = training_new(&stores->held, signals->type, signals->dim, signals->count, l->threads, error);
        if (status < 0) training_free(&stores->held);
        return status;
    }
    if (!l->method->needs_codes && !stores->sums &&
        !(stores->sums = collector_new(l->d.rows, l->d.cols, l->threads, l->cluster)))
        return error_no_memory(error);
    if (order->keep && !stores->codes &&
        !(stores->codes = kept_new(range_blocks(signals->count, PASS_GROUP), alternate_codes_limit(l->options))))
        return error_no_memory(error);
    return INCO_OK;
}

static void clear_stores(learner *l) {
    if (l->stores.codes) kept_clear(l->stores.codes);
    if (l->method->needs_codes)
        training_clear(&l->stores.held);
    else
        collector_clear(l->stores.sums);
}

static int keep_codes(alternation *stores, const pass_group *group, inco_error *error) {
    csc copy;
    int status = csc_new(&copy, group->codes->type, group->codes->rows, group->codes->cols, 0, error);
    if (status >= 0 && (status = csc_append(&copy, group->codes, error)) < 0) csc_free(&copy);
    return status < 0 ? status : kept_put(stores->codes, group->number, &copy, error);
}

typedef struct gathering {
    learner *l;
    const serve_order *order;
} gathering;

static int gather(void *self, const pass_group *group, inco_error *error) {
    const gathering *g = self;
    learner *l = g->l;
    alternation *stores = &l->stores;
    int status = l->method->needs_codes ? training_add(&stores->held, &l->d, group, error)
                                        : collector_add(stores->sums, group, error);
    if (status >= 0 && g->order->keep) status = keep_codes(stores, group, error);
    if (status < 0) return status;
    if (l->method->needs_codes) notes_count(&l->notes, group);
    notes_rank(&l->notes, group);
    l->progress.done = g->order->first + group->done;
    return learner_tell(l, "code");
}

/* The part of a pass that every rank does. */
static int run_sums(learner *l, const serve_order *order, collected *sums, inco_error *error) {
    const gathering g = {l, order};
    spread_order spread;
    pass p = {.source = &l->signals,
              .first = order->first,
              .count = order->count,
              .cluster = l->cluster,
              .coder = l->coder,
              .atoms = l->d.cols,
              .threads = l->threads,
              .self = (void *)&g,
              .visit = gather};
    if (order->spread) {
        order_make(&spread, &l->signals);
        p.source = &spread.source;
    }
    p.status = make_stores(l, order, error);
    if (p.status >= 0) clear_stores(l);
    if (p.status >= 0) p.status = pass_dictionary(&p, &l->d, error);
    int status = pass_run(&p, error);
    l->info.seconds_io += p.seconds_io;
    l->info.seconds_code += p.seconds_code;
    l->progress.seconds_code += p.seconds_code;
    *sums = (collected){.s = {.energy = l->stores.held.energy, .observed = l->stores.held.energy}};
    if (status != INCO_OK || l->method->needs_codes) return status;
    TRY(collector_total(l->stores.sums, pass_groups(&p), sums, error));
    TRY(notes_gather(&l->notes, l->cluster, error));
    l->info.cluster_updates++;
done:
    return status;
}

int coding_sums(learner *l, serve_order order, collected *sums, inco_error *error) {
    order.what = SERVE_SUMS;
    int status = give_order(l, &order, &l->d, error);
    if (status >= 0) status = run_sums(l, &order, sums, error);
    if (status == INCO_OK && !l->method->needs_codes) notes_add(&l->notes, sums);
    return status;
}

/* ---- Refitted coefficients ---- */

static int gather_refitted(void *self, const pass_group *group, inco_error *error) {
    learner *l = self;
    int status = collector_add(l->stores.sums, group, error);
    return status < 0 ? status : learner_tell(l, "update");
}

static int run_refit(learner *l, collected *sums, inco_error *error) {
    inco_mat products = {0};
    pass p = {.source = &l->signals,
              .cluster = l->cluster,
              .atoms = l->d.cols,
              .threads = l->threads,
              .self = l,
              .visit = gather_refitted,
              .held = l->stores.codes,
              .dictionary = &l->d,
              .products = &products};
    const double start = clock_seconds();
    p.status = mat_new_raw(&products, INCO_F64, l->d.cols, l->d.cols, error);
    if (p.status >= 0) blas_multiply(l->threads, "TN", 1, &l->d, &l->d, 0, &products);
    p.seconds_code = clock_seconds() - start;
    collector_clear(l->stores.sums);
    int status = pass_run(&p, error);
    inco_mat_free(&products);
    l->info.seconds_io += p.seconds_io;
    l->info.seconds_update += p.seconds_code;
    l->progress.seconds_update += p.seconds_code;
    if (status != INCO_OK) return status;
    l->info.cluster_updates++;
    return collector_total(l->stores.sums, pass_groups(&p), sums, error);
}

int coding_refit(learner *l, collected *sums, inco_error *error) {
    serve_order order = {.what = SERVE_REFIT};
    int status = give_order(l, &order, &l->d, error);
    return status < 0 ? status : run_refit(l, sums, error);
}

/* ---- The final codes ---- */

typedef struct final_pass {
    learner *l;
    inco_csc *codes; /* NULL: not wanted */
    totals *totals;
} final_pass;

static int look_at_codes(void *self, const pass_group *group, inco_error *error) {
    final_pass *f = self;
    learner *l = f->l;
    int status = totals_add(f->totals, &l->result, l->coder, group, error);
    if (status >= 0 && f->codes) status = wide_append(f->codes, group->codes, error);
    l->progress.done = group->done;
    return status < 0 ? status : learner_tell(l, "final");
}

static int describe_codes(learner *l, const totals_sum *sum, inco_error *error) {
    inco_learn_info *info = &l->info;
    memory_free(l->use_count);
    if (!(l->use_count = NEW(int64_t, l->result.cols))) return error_no_memory(error);
    info->relative_error = learner_relative_error(sum->residual, sum->energy);
    info->missing_entries = sum->missing;
    info->mean_cardinality = sum->cardinality / sum->weight;
    info->skipped_atoms = sum->skipped;
    info->zero_signals = sum->zero_signals;
    if (l->energy == 0) l->energy = sum->energy; /* resumed after its last iteration */
    info->unused = 0;
    for (int64_t j = 0; j < l->result.cols; j++) {
        l->use_count[j] = (int64_t)sum->use_count[j];
        info->unused += !l->use_count[j];
    }
    return INCO_OK;
}

static int run_final(learner *l, inco_csc *codes, inco_error *error) {
    const int64_t atoms = l->result.cols;
    final_pass f = {l, codes, totals_new(atoms, l->threads, l->cluster)};
    pass p = {.source = &l->signals,
              .cluster = l->cluster,
              .coder = l->coder,
              .atoms = atoms,
              .threads = l->threads,
              .self = &f,
              .visit = look_at_codes};
    totals_sum sum;
    p.status = f.totals ? pass_dictionary(&p, &l->result, error) : error_no_memory(error);
    if (p.status >= 0 && codes && !codes->start) p.status = wide_new(codes, l->result.type, atoms, 0, error);
    if (p.status >= 0) totals_begin(f.totals, l->coder);
    int status = pass_run(&p, error);
    l->info.seconds_io += p.seconds_io;
    l->info.seconds_code += p.seconds_code;
    if (status != INCO_OK) goto done;
    TRY(totals_find(f.totals, pass_groups(&p), &sum, error));
    if (codes) TRY(gather_codes(codes, l->cluster, error));
    if (cluster_is_first(l->cluster)) TRY(describe_codes(l, &sum, error));
done:
    totals_free(f.totals);
    return status;
}

int coding_final(learner *l, inco_csc *codes, inco_error *error) {
    serve_order order = {.what = SERVE_FINAL, .keep = codes != NULL};
    int status = give_order(l, &order, &l->result, error);
    return status < 0 ? status : run_final(l, codes, error);
}

/* ---- The other ranks ---- */

/* The signals of the order, all or without the held-out ones, and the dictionary to receive. */
static int prepare_pass(learner *l, const serve_order *order, inco_error *error) {
    const int64_t dim = l->whole->dim;
    int status;
    if (order->held_out && !l->split.kept.from)
        TRY(holdout_make(&l->split, l->whole, order->held_out, l->threads, error));
    l->signals = order->held_out ? l->split.kept.source : *l->whole;
    l->progress.total = l->signals.count;
    l->gain = order->gain;
    TRY(make_dictionary(&l->d, INCO_F64, dim, order->atoms, error));
    if (order->what == SERVE_FINAL) TRY(make_dictionary(&l->result, l->signals.type, dim, order->atoms, error));
    TRY(learner_make_passes(l, error));
done:
    return status;
}

int coding_serve(learner *l, const serve_order *order, inco_error *error) {
    const int final = order->what == SERVE_FINAL;
    collected none;
    inco_csc codes = {0};
    int status = share_dictionary(l, prepare_pass(l, order, error), final ? &l->result : &l->d, error);
    if (status < 0) return status;
    if (final) {
        status = run_final(l, order->keep ? &codes : NULL, error);
        inco_csc_free(&codes);
        return status;
    }
    if (order->what == SERVE_REFIT) return run_refit(l, &none, error);
    notes_clear(&l->notes);
    return run_sums(l, order, &none, error);
}
