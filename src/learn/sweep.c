#include "learn/sweep.h"

#include "base/clock.h"
#include "base/error.h"
#include "mat/mat.h"

int sweep_update(inco_mat *d, const method_input *in, const ksvd_rule *rule, update_result *result, inco_error *error) {
    ksvd_rule polled = *rule;
    polled.poll = in->poll;
    result->before = training_error(in->held);
    int status = ksvd_sweep(d, in->held, &polled, error);
    result->after = training_error(in->held);
    result->iterations = 1;
    return status;
}

int sweep_and_spread(inco_mat *d, const method_input *in, sweep_spread spread, update_result *result,
                     inco_error *error) {
    const ksvd_rule exact = {.form = KSVD_EXACT};
    inco_mat swept = {0};
    int status;
    TRY(sweep_update(d, in, &exact, result, error));
    TRY(mat_convert(&swept, d, INCO_F64, error));
    const double start = clock_seconds();
    TRY(spread(d, in, result, error));
    result->seconds_spread = clock_seconds() - start;
    TRY(training_error_in(in->held, &swept, d, &result->after, error));
done:
    inco_mat_free(&swept);
    return status;
}
