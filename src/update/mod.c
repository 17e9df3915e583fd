/* MOD: the least-squares dictionary for fixed codes (docs/theory/mod.md). */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "mat/blas.h"
#include "mat/mat.h"
#include "update/idl.h"

/* Finds the atoms that some signal uses, A_jj > 0. Returns their number. */
static int64_t find_used(const inco_mat *a, int64_t *used) {
    int64_t count = 0;
    for (int64_t j = 0; j < a->cols; j++)
        if (mat_get(a, j, j) > 0) used[count++] = j;
    return count;
}

/* Gathers the rows and columns of A and the columns of B of the used atoms. */
static int gather(const statistics *s, const int64_t *used, int64_t count, inco_mat *a, inco_mat *b,
                  inco_error *error) {
    int status;
    TRY(mat_new_raw(a, INCO_F64, count, count, error));
    TRY(mat_new_raw(b, INCO_F64, s->b.rows, count, error));
    for (int64_t j = 0; j < count; j++) {
        inco_mat from = mat_columns(&s->b, used[j], 1), to = mat_columns(b, j, 1);
        mat_copy(&to, &from);
        for (int64_t i = 0; i < count; i++) mat_set(a, i, j, mat_get(&s->a, used[i], used[j]));
    }
done:
    return status;
}

/* Stores the normalised atoms of the solution; a zero solution keeps the old atom. */
static void put_back(inco_mat *d, const inco_mat *solution, const int64_t *used) {
    for (int64_t j = 0; j < solution->cols; j++) {
        const double *from = mat_column(solution, j), norm = mat_column_norm(solution, j);
        double *to = mat_column(d, used[j]);
        for (int64_t i = 0; i < d->rows && norm > 0 && isfinite(norm); i++) to[i] = from[i] / norm;
    }
}

int mod_update(inco_mat *d, const statistics *s, const update_settings *settings, update_result *result,
               inco_error *error) {
    inco_mat a = {0}, b = {0}, updated = {0};
    int64_t *used = NEW_RAW(int64_t, d->cols);
    int status = used ? update_check(d, s, error) : error_no_memory(error);
    if (status < 0) goto done;
    *result = (update_result){0};
    TRY(mat_convert(&updated, d, INCO_F64, error));
    TRY(update_objective(d, s, 0, settings->threads, &result->before, error));
    int64_t count = find_used(&s->a, used);
    TRY(gather(s, used, count, &a, &b, error));
    if (count > 0) TRY(lapack_solve_right(&a, &b, error)); /* (MOD-1) */
    put_back(&updated, &b, used);
    TRY(update_objective(&updated, s, 0, settings->threads, &result->after, error));
    mat_copy(d, &updated);
    result->iterations = result->evaluations = 1;
done:
    inco_mat_free(&a);
    inco_mat_free(&b);
    inco_mat_free(&updated);
    memory_free(used);
    return status;
}
