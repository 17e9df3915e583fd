/* IDL for codes whose atoms drop out. With unit-norm atoms the expected error has the minimisers of the error with A
 * times the share that is kept; B, gamma and the bound are divided by it instead, since A is large (DROP-3). */
#include "update/dropout.h"

#include "base/error.h"
#include "mat/mat.h"
#include "update/idl.h"

static double trace(const inco_mat *a) {
    double sum = 0;
    for (int64_t j = 0; j < a->cols; j++) sum += mat_get(a, j, j);
    return sum;
}

/* B / kept, and the energy that makes the objective (DROP-3). */
static int divide(const statistics *s, double kept, statistics *divided, inco_error *error) {
    const int status = mat_convert(&divided->b, &s->b, INCO_F64, error);
    const int64_t count = s->b.rows * s->b.cols;
    double *b = divided->b.data;
    for (int64_t i = 0; status >= 0 && i < count; i++) b[i] /= kept;
    divided->energy = (s->energy + (1 - kept) * trace(&s->a)) / kept;
    return status;
}

int dropout_update(inco_mat *d, const statistics *s, double share, const update_settings *settings,
                   update_result *result, inco_error *error) {
    const double kept = 1 - share;
    statistics divided = {.a = s->a, .observed = s->observed};
    update_settings own = *settings;
    int status;
    if (share == 0) return idl_update(d, s, settings, result, error);
    own.gamma /= kept;
    own.push /= kept;
    TRY(divide(s, kept, &divided, error));
    TRY(idl_update(d, &divided, &own, result, error));
    result->before *= kept;
    result->after *= kept;
done:
    inco_mat_free(&divided.b);
    return status;
}
