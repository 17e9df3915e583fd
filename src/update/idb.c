#include "update/idb.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "mat/blas.h"
#include "mat/mat.h"

/* E c - gamma_j (g1 + lambda g2), where g1 + lambda g2 = D a - lambda n d for n atoms above the bound (IDB-3). */
static void push(void *self, const inco_mat *d, int64_t j, double *step) {
    const idb *w = self;
    const idb_settings *s = &w->settings;
    const double *atom = mat_column(d, j);
    const double energy = s->relative ? fmax(blas_dot(d->rows, atom, step), 0) : 1; /* d'E c, about |c|^2 */
    double *a = w->products;
    int64_t beyond = 0;
    blas_gemv_transposed(d, 1, atom, 0, a);
    a[j] = 0;
    for (int64_t i = 0; i < d->cols; i++) {
        const int over = fabs(a[i]) > s->bound;
        const double sign = a[i] < 0 ? -1 : 1;
        if (over) a[i] = a[i] * fabs(a[i]) / s->bound + s->barrier * sign; /* (IDB-1), (IDB-2) */
        beyond += over;
    }
    blas_gemv(d, -s->gamma * energy, a, 1, step);
    blas_axpy(d->rows, s->gamma * energy * s->barrier * (double)beyond, atom, step);
}

int idb_open(idb *w, const inco_mat *d, const idb_settings *settings, inco_error *error) {
    *w = (idb){{KSVD_APPROXIMATE, push, w, NULL}, *settings, NEW_RAW(double, d->cols)};
    return w->products ? INCO_OK : error_no_memory(error);
}

void idb_close(idb *w) {
    memory_free(w->products);
}
