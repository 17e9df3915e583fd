#include "learn/method.h"

#include "base/options.h"
#include "dict/ksvd.h"

/* ---- From A and B ---- */

static int update_idl(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return idl_update(d, in->s, &in->settings, result, error);
}

static int update_mod(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return mod_update(d, in->s, &in->settings, result, error);
}

/* ---- With the codes ---- */

static int sweep(inco_mat *d, const method_input *in, ksvd_form form, update_result *result, inco_error *error) {
    result->before = training_error(in->held);
    int status = ksvd_sweep(d, in->held, form, error);
    result->after = training_error(in->held);
    result->iterations = 1;
    return status;
}

static int update_ksvd(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return sweep(d, in, KSVD_EXACT, result, error);
}

static int update_aksvd(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    return sweep(d, in, KSVD_APPROXIMATE, result, error);
}

static const method methods[] = {
    {METHOD_IDL, 0, 1, update_idl},
    {METHOD_MOD, 0, 0, update_mod},
    {METHOD_KSVD, 1, 0, update_ksvd},
    {METHOD_AKSVD, 1, 0, update_aksvd},
};

const method *method_find(int64_t option) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (methods[i].option == option) return &methods[i];
    return NULL;
}
