#include "io/store.h"

#include <string.h>

void store_init(store *s, int64_t limit) {
    *s = (store){.limit = limit};
    pthread_mutex_init(&s->lock, NULL);
}

void store_free(store *s) {
    spool_free(&s->spool);
    pthread_mutex_destroy(&s->lock);
}

int store_keep(store *s, inco_mat *m, int64_t *offset, inco_error *error) {
    const size_t bytes = (size_t)m->rows * (size_t)m->cols * sizeof(float);
    int status = INCO_OK;
    pthread_mutex_lock(&s->lock);
    if ((int64_t)bytes <= s->limit - s->held) {
        s->held += (int64_t)bytes;
    } else {
        const inco_mat shape = {.type = m->type, .rows = m->rows, .cols = m->cols, .ld = m->ld};
        *offset = s->spool.used;
        status = spool_append(&s->spool, m->data, bytes, error);
        inco_mat_free(m);
        *m = shape;
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}

int store_copy(const store *s, const inco_mat *m, int64_t offset, int64_t first, int64_t count, float *out,
               inco_error *error) {
    const size_t bytes = (size_t)count * sizeof *out;
    if (!m->data) return spool_read(&s->spool, offset + first * (int64_t)sizeof *out, out, bytes, error);
    memcpy(out, (const float *)m->data + first, bytes);
    return INCO_OK;
}
