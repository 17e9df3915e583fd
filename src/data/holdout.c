#include "data/holdout.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "base/source.h"
#include "data/draw.h"
#include "mat/mat.h"

enum { GROUP = 4096, PART = 256 }; /* signals read at a time, and by one thread */

typedef struct splitting {
    const inco_source *from;
    inco_mat x;
    int64_t first, step;
    unsigned char *is_held;
} splitting;

static int split_part(void *self, int64_t part, int thread, inco_error *error) {
    const splitting *s = self;
    const int64_t first = part * PART, count = range_min(PART, s->x.cols - first);
    const inco_mat x = mat_columns(&s->x, first, count);
    int status = source_read(s->from, s->first + first, count, x.data, error);
    /* the upper bits: as many contents for each remainder */
    for (int64_t n = 0; status >= 0 && n < count; n++)
        s->is_held[first + n] = (draw_content(&x, n, 0) >> 32) % (uint64_t)s->step == 0;
    (void)thread;
    return status;
}

int holdout_make(holdout *h, const inco_source *from, int64_t step, int threads, inco_error *error) {
    splitting s = {.from = from, .step = step, .is_held = NEW(unsigned char, GROUP)};
    inco_mat all = {0};
    int status;
    *h = (holdout){.step = step};
    if (!s.is_held) TRY(error_no_memory(error));
    TRY(subset_new(&h->kept, from, error));
    TRY(subset_new(&h->held, from, error));
    TRY(mat_new_raw(&all, from->type, from->dim, range_min(GROUP, from->count), error));
    for (s.first = 0; s.first < from->count; s.first += GROUP) {
        s.x = mat_columns(&all, 0, range_min(GROUP, from->count - s.first));
        TRY(parallel_for(from->concurrent ? threads : 1, range_blocks(s.x.cols, PART), split_part, &s, error));
        for (int64_t n = 0; n < s.x.cols; n++) subset_add(s.is_held[n] ? &h->held : &h->kept, s.first + n);
    }
    subset_complete(&h->kept);
    subset_complete(&h->held);
done:
    inco_mat_free(&all);
    memory_free(s.is_held);
    return status;
}

void holdout_free(holdout *h) {
    subset_free(&h->kept);
    subset_free(&h->held);
}
