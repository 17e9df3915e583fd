#include "data/kept.h"

#include "base/memory.h"
#include "base/spool.h"

typedef struct kept_group {
    csc codes;        /* without arrays if they are in the spool, or were taken */
    int spooled;      /* it has a place in the spool, for starts, indices and values ... */
    int64_t offset;   /* ... from here on ... */
    int64_t nonzeros; /* ... of this size */
} kept_group;

struct kept {
    kept_group *group;
    int64_t count, held, limit; /* groups; bytes in memory, and their maximum */
    spool spool;
};

kept *kept_new(int64_t groups, int64_t limit) {
    kept *k = NEW(kept, 1);
    if (!k) return NULL;
    k->group = NEW(kept_group, groups);
    k->count = groups;
    k->limit = limit;
    if (k->group) return k;
    memory_free(k);
    return NULL;
}

void kept_clear(kept *k) {
    for (int64_t i = 0; i < k->count; i++) {
        csc_free(&k->group[i].codes);
        k->group[i] = (kept_group){0};
    }
    k->held = k->spool.used = 0;
}

void kept_free(kept *k) {
    if (!k) return;
    kept_clear(k);
    spool_free(&k->spool);
    memory_free(k->group);
    memory_free(k);
}

/* The arrays of codes, and their sizes in bytes. */
enum { ARRAYS = 3 };

static void list_arrays(const csc *c, int64_t nonzeros, void *array[ARRAYS], size_t size[ARRAYS]) {
    array[0] = c->start;
    array[1] = c->index;
    array[2] = c->value;
    size[0] = (size_t)(c->cols + 1) * sizeof *c->start;
    size[1] = (size_t)nonzeros * sizeof *c->index;
    size[2] = (size_t)nonzeros * c->type;
}

static int64_t bytes_of(const csc *codes) {
    void *array[ARRAYS];
    size_t size[ARRAYS];
    list_arrays(codes, csc_nonzeros(codes), array, size);
    return (int64_t)(size[0] + size[1] + size[2]);
}

int kept_put(kept *k, int64_t group, csc *codes, inco_error *error) {
    kept_group *to = &k->group[group];
    void *array[ARRAYS];
    size_t size[ARRAYS];
    int status = INCO_OK;
    if (bytes_of(codes) <= k->limit - k->held) {
        k->held += bytes_of(codes);
        to->codes = *codes;
        *codes = (csc){0};
        return INCO_OK;
    }
    const int again = to->spooled && to->nonzeros == csc_nonzeros(codes);
    *to = (kept_group){.spooled = 1, .offset = again ? to->offset : k->spool.used, .nonzeros = csc_nonzeros(codes)};
    list_arrays(codes, to->nonzeros, array, size);
    for (int64_t i = 0, at = to->offset; status >= 0 && i < ARRAYS; at += (int64_t)size[i++])
        status = spool_write(&k->spool, at, array[i], size[i], error);
    to->codes = (csc){.type = codes->type, .rows = codes->rows, .cols = codes->cols};
    csc_free(codes);
    return status;
}

int kept_take(kept *k, int64_t group, csc *codes, inco_error *error) {
    kept_group *from = &k->group[group];
    void *array[ARRAYS];
    size_t size[ARRAYS];
    if (from->codes.start) {
        *codes = from->codes;
        from->codes = (csc){0};
        k->held -= bytes_of(codes);
        return INCO_OK;
    }
    int status = csc_new(codes, from->codes.type, from->codes.rows, from->codes.cols, from->nonzeros, error);
    if (status < 0) return status;
    codes->cols = from->codes.cols;
    list_arrays(codes, from->nonzeros, array, size);
    for (int64_t i = 0, at = from->offset; status >= 0 && i < ARRAYS; at += (int64_t)size[i++])
        status = spool_read(&k->spool, at, array[i], size[i], error);
    if (status < 0) csc_free(codes);
    return status;
}
