#include "replace/notes.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "mat/mat.h"
#include "sparse/csc.h"

int notes_new(pass_notes *notes, int64_t atoms, int64_t worst, inco_error *error) {
    *notes = (pass_notes){.atoms = atoms, .use_energy = NEW(double, atoms), .use_weight = NEW(double, atoms)};
    if (notes->use_energy && notes->use_weight && worst_new(&notes->worst, worst) >= 0) return INCO_OK;
    notes_free(notes);
    return error_no_memory(error);
}

void notes_free(pass_notes *notes) {
    memory_free(notes->use_energy);
    memory_free(notes->use_weight);
    worst_free(&notes->worst);
    *notes = (pass_notes){0};
}

void notes_clear(pass_notes *notes) {
    memset(notes->use_energy, 0, (size_t)notes->atoms * sizeof *notes->use_energy);
    memset(notes->use_weight, 0, (size_t)notes->atoms * sizeof *notes->use_weight);
    worst_clear(&notes->worst);
}

void notes_rank(pass_notes *notes, const pass_group *group) {
    for (int64_t n = 0; n < group->x->cols; n++)
        worst_offer(&notes->worst, (worst_signal){group->residual[n], pass_weight(group, n), group->first + n});
}

void notes_count(pass_notes *notes, const pass_group *group) {
    const csc *codes = group->codes;
    for (int64_t n = 0; n < codes->cols; n++)
        for (int64_t k = codes->start[n]; k < codes->start[n + 1]; k++) {
            const double value = csc_value(codes, k), weight = pass_weight(group, n);
            notes->use_energy[codes->index[k]] += weight * value * value;
            if (value != 0) notes->use_weight[codes->index[k]] += weight;
        }
}

void notes_add(pass_notes *notes, const collected *sums) {
    for (int64_t j = 0; j < notes->atoms; j++) {
        notes->use_energy[j] += mat_get(&sums->s.a, j, j);
        notes->use_weight[j] += sums->use_weight[j];
    }
}

/* ---- Over the ranks of a cluster ---- */

enum { PIECE = 256 }; /* signals that travel together */

typedef struct gathering {
    worst_list *list;
    cluster *by;
} gathering;

static int take(void *self, int64_t other, inco_error *error) {
    const gathering *g = self;
    const int64_t rank = cluster_rank(g->by);
    worst_signal piece[PIECE];
    int64_t count = 0;
    int status = cluster_move(g->by, &count, sizeof count, other, rank, error);
    for (int64_t n = 0, size; status >= 0 && n < count; n += size) {
        size = range_min(count - n, PIECE);
        status = cluster_move(g->by, piece, (size_t)size * sizeof *piece, other, rank, error);
        for (int64_t i = 0; status >= 0 && i < size; i++) worst_offer(g->list, piece[i]);
    }
    return status;
}

static int give(void *self, int64_t other, inco_error *error) {
    const gathering *g = self;
    const int64_t rank = cluster_rank(g->by);
    int64_t count = g->list->count;
    int status = cluster_move(g->by, &count, sizeof count, rank, other, error);
    for (int64_t n = 0, size; status >= 0 && n < count; n += size) {
        size = range_min(count - n, PIECE);
        status = cluster_move(g->by, g->list->item + n, (size_t)size * sizeof *g->list->item, rank, other, error);
    }
    worst_clear(g->list);
    return status;
}

int notes_gather(pass_notes *notes, cluster *by, inco_error *error) {
    gathering g = {&notes->worst, by};
    return cluster_gather(by, take, give, &g, error);
}
