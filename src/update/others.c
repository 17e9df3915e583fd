#include "update/others.h"

#include "mat/blas.h"

void others_apply(const inco_mat *frame, const double *d, const double *v, double *out) {
    blas_symv(frame, v, out);
    blas_axpy(frame->rows, -blas_dot(frame->rows, d, v), d, out);
}

/* u u' - d d' = c m' + m c' with the change c = u - d and the midpoint m = (u + d) / 2. */
void others_move(const inco_mat *frame, const double *from, const double *to, double *scratch) {
    double *change = scratch, *middle = scratch + frame->rows;
    for (int64_t i = 0; i < frame->rows; i++) {
        change[i] = to[i] - from[i];
        middle[i] = (to[i] + from[i]) / 2;
    }
    blas_syr2(change, middle, frame);
}
