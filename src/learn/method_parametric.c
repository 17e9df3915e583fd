/* --method parametric: designs a dictionary without data, of atoms with a few parameters each
 * (docs/theory/parametric.md). */
#include <math.h>

#include "base/clock.h"
#include "base/common.h"
#include "base/error.h"
#include "base/memory.h"
#include "design/design_options.h"
#include "design/gammatone.h"
#include "learn/learn_options.h"
#include "learn/learner_state.h"
#include "metric/coherence.h"

typedef struct parametric_options {
    int64_t family;
} parametric_options;
OPTIONS_DECLARE(parametric)

static const option_row rows[] = {
    CHOICE_OPTION(parametric_options, family, "family", "NAME", "gammatone", "gammatone", INCO_LEARN, "Methods",
                  "parametric: family of atoms, with option 'window' samples at option 'rate'"),
};

const options_part parametric_part = {OPTIONS_PART(rows, parametric_options)};

/* Refuses options of data and codes, and requires those of the design. */
static int check(const inco_options *options, inco_error *error) {
    static const char taken[] = "atoms|method|family|window|rate|iterations|update-iterations|stop-change|stop-seconds|"
                                "precision|threads";
    const common_options *common = common_options_of(options);
    const inco_option *option;
    for (int i = 0; (option = options_at(i)); i++)
        if (inco_options_given(options, option->name) && !options_is_among(option->name, taken))
            return error_set(error, INCO_EINVAL,
                             "option '%s' does not apply to option 'method' = 'parametric', which takes no data",
                             option->name);
    if (design_options_of(options)->atoms == OPTION_UNSET || common->window == OPTION_UNSET || isnan(common->rate))
        return error_set(error, INCO_EINVAL,
                         "option 'method' = 'parametric' needs options 'atoms', 'window' and 'rate'");
    if (common->window < 16)
        return error_set(error, INCO_EINVAL,
                         "option 'method' = 'parametric' needs option 'window' of 16 samples or more, not %lld",
                         (long long)common->window);
    return INCO_OK;
}

typedef struct parametric_state {
    double *unknowns; /* of all atoms, one after the other */
} parametric_state;

static parametric_family family_of(const learner *l) {
    const common_options *common = common_options_of(l->options);
    return gammatone_family(common->window, common->rate);
}

/* Sets the dictionary and its unknowns to the initial atoms of the family. */
static int start(learner *l, inco_error *error) {
    const parametric_family family = family_of(l);
    parametric_state *own = l->own;
    coherence mu;
    int status = INCO_OK;
    if (own->unknowns) return status;
    inco_mat_free(&l->d);
    TRY(inco_mat_new(&l->d, INCO_F64, family.dim, design_options_of(l->options)->atoms, error));
    own->unknowns = NEW(double, l->d.cols *family.unknowns);
    if (!own->unknowns) TRY(error_no_memory(error));
    parametric_start(&family, &l->d, own->unknowns);
    TRY(coherence_measure(&l->d, l->threads, &mu, error));
    l->info.start_coherence_max = mu.max;
    l->info.start_coherence_rms = mu.rms;
done:
    return status;
}

/* (PARAMETRIC-2): the Welch bound in the first half of the iterations, which separates all atoms; then a value that
 * only the most coherent pairs exceed. */
static double target_of(const learner *l) {
    const double bound = coherence_bound(l->d.rows, l->d.cols);
    return 2 * l->iteration < learn_options_of(l->options)->iterations ? bound : fmax(bound, 0.5);
}

static int step(learner *l, inco_error *error) {
    const parametric_family family = family_of(l);
    const update_settings settings = {.iterations = (int)learn_options_of(l->options)->update_iterations,
                                      .threads = l->threads};
    parametric_state *own = l->own;
    update_result result;
    int status = learner_tell(l, "update");
    if (status != INCO_OK) return status;
    const double began = clock_seconds();
    status = parametric_update(&family, &l->d, own->unknowns, target_of(l), &settings, &result, error);
    l->info.seconds_update += l->progress.seconds_update = clock_seconds() - began;
    if (status < 0) return status;
    l->progress.relative_error = l->progress.mean_cardinality = NAN;
    l->progress.objective_before = result.before;
    l->progress.objective = l->info.objective = result.after;
    l->progress.update_iterations = result.iterations;
    return status;
}

static void free_state(void *self) {
    parametric_state *own = self;
    memory_free(own->unknowns);
}

const method method_parametric = {.name = "parametric",
                                  .part = &parametric_part,
                                  .takes = "update-iterations",
                                  .check = check,
                                  .designs = 1,
                                  .own_size = sizeof(parametric_state),
                                  .start = start,
                                  .step = step,
                                  .free = free_state};
