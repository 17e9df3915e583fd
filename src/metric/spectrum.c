#include "metric/spectrum.h"

#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/range.h"
#include "mat/blas.h"
#include "mat/mat.h"

/* [M1 M2] and [L1 M2] have the same singular values if M1 = L1 Q1 (COH-9): streams of atoms pass through small
 * matrices, and the triangular factors of all streams form the last one. Orthogonal reductions keep small singular
 * values accurate, unlike D D', which squares them. */
enum { MAX_STREAMS = 8, LEAST_PIECE = 256 };

typedef struct streams {
    const gram_atoms *atoms;
    int64_t count;
    inco_mat triangles; /* D x (streams * D) */
} streams;

static int reduce_stream(void *self, int64_t stream, int thread, inco_error *error) {
    const streams *s = self;
    const int64_t rows = s->atoms->d->rows, piece = rows > LEAST_PIECE ? rows : LEAST_PIECE;
    const int64_t last = s->atoms->count * (stream + 1) / s->count;
    inco_mat m = {0}, to = mat_columns(&s->triangles, stream * rows, rows);
    int status;
    (void)thread;
    TRY(inco_mat_new(&m, INCO_F64, rows, rows + piece, error));
    for (int64_t j = s->atoms->count * stream / s->count; j < last; j += piece) {
        int64_t count = range_min(last - j, piece);
        gram_gather(s->atoms, j, count, mat_column(&m, rows));
        inco_mat part = mat_columns(&m, 0, rows + count);
        TRY(lapack_lq(&part, error));
    }
    inco_mat triangle = mat_columns(&m, 0, rows);
    mat_copy(&to, &triangle);
done:
    inco_mat_free(&m);
    return status;
}

int spectrum_measure(const gram_atoms *atoms, int threads, double *values, inco_error *error) {
    const int64_t rows = atoms->d->rows, count = atoms->count;
    streams s = {atoms, rows ? count / (4 * rows) : 0, {0}};
    int status;
    if (s.count > MAX_STREAMS) s.count = MAX_STREAMS;
    if (s.count > 0) {
        TRY(mat_new_raw(&s.triangles, INCO_F64, rows, s.count * rows, error));
        TRY(parallel_for(threads, s.count, reduce_stream, &s, error));
    } else {
        TRY(mat_new_raw(&s.triangles, INCO_F64, rows, count, error));
        gram_gather(atoms, 0, count, s.triangles.data);
    }
    TRY(lapack_singular_values(&s.triangles, values, error));
done:
    inco_mat_free(&s.triangles);
    return status;
}
