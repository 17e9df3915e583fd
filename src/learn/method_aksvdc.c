/* --method aksvdc: approximate K-SVD with the coherence penalty (docs/theory/aksvdc.md). */
#include "base/error.h"
#include "learn/alternate.h"
#include "learn/penalty.h"
#include "learn/sweep.h"
#include "update/aksvdc.h"

/* The objective includes the penalty. */
static int update(inco_mat *d, const method_input *in, update_result *result, inco_error *error) {
    const double gamma = penalty_gamma(in);
    double before, after;
    aksvdc w;
    int status;
    TRY(aksvdc_open(&w, d, gamma, in->threads, error));
    TRY(aksvdc_penalty(d, in->threads, &before, error));
    TRY(sweep_update(d, in, &w.rule, result, error));
    TRY(aksvdc_penalty(d, in->threads, &after, error));
    result->before += gamma * before;
    result->after += gamma * after;
done:
    aksvdc_close(&w);
    return status;
}

const method method_aksvdc = {.name = "aksvdc",
                              .takes = PENALTY_TAKES,
                              .check = penalty_check,
                              .needs_codes = 1,
                              .step = alternate_step,
                              .update = update,
                              .gamma = penalty_gamma};
