/* The MEX function behind inco_learn.m and the other functions of the package.
 *
 *   [D, info, codes] = inco_mex ("learn", X, initial, settings, callback)
 *   [C, info] = inco_mex ("encode", D, X, settings)
 *   X = inco_mex ("decode", D, C)
 *   info = inco_mex ("inspect", D, settings)
 *   [E, info] = inco_mex ("decohere", D, X, settings)
 *   [F, info] = inco_mex ("frame", settings)
 *   table = inco_mex ("options", "learn")
 *   [D, info] = inco_mex ("interrupted")
 *
 * X, initial and callback may be []; settings is a struct. The callback returns a logical value, true to stop, or a
 * struct that `rethrow` takes. Signals and atoms are columns, which the library reads in place. The library calls back
 * on the thread of the interpreter, which looks for Ctrl-C there. */
#include <stdlib.h>
#include <string.h>

#include <inco/inco.h>

#include "convert.h"
#include "host.h"
#include "mex.h"
#include "settings.h"

/* ---- Progress ---- */

static const field progress_fields[] = {
    FIELD(inco_progress, iteration),
    FIELD(inco_progress, seconds),
    FIELD(inco_progress, relative_error),
    FIELD(inco_progress, mean_cardinality),
    FIELD(inco_progress, objective_before),
    FIELD(inco_progress, objective),
    FIELD(inco_progress, coherence_max),
    FIELD(inco_progress, coherence_rms),
    FIELD(inco_progress, replaced),
    FIELD(inco_progress, update_iterations),
    FIELD(inco_progress, gamma),
    FIELD(inco_progress, seconds_code),
    FIELD(inco_progress, seconds_update),
    FIELD(inco_progress, phase),
    FIELD(inco_progress, iterations),
    FIELD(inco_progress, done),
    FIELD(inco_progress, total),
    FIELD(inco_progress, point),
    FIELD(inco_progress, points),
};
enum { RECORDED = 13 }; /* of these fields, the number kept of every iteration */

/* One call of the library. */
typedef struct job {
    int nlhs;
    mxArray **plhs;
    inco_options *options;
    inco_error error;
    const inco_learner *learner; /* NULL if none is running */
    const mxArray *callback;     /* of the user; NULL: none */
    mxArray *trouble;            /* the error that the callback of the user raised, as a struct */
    int interrupted;
    double *history; /* RECORDED values per iteration */
    int64_t iterations;
} job;

static int record(job *j, const inco_progress *now) {
    double *grown = realloc(j->history, (size_t)(j->iterations + 1) * RECORDED * sizeof *grown);
    if (!grown) return 0;
    j->history = grown;
    for (int i = 0; i < RECORDED; i++) grown[j->iterations * RECORDED + i] = field_number(&progress_fields[i], now);
    j->iterations++;
    return 1;
}

/* Calls the function of the user, with the dictionary so far after every iteration. Returns whether it asks to stop. */
static int tell_user(job *j, const inco_progress *now) {
    mxArray *state = convert_to_struct(progress_fields, COUNT(progress_fields), now);
    inco_mat view = {0};
    if (j->learner && !strcmp(now->phase, "iteration")) inco_learner_dictionary(j->learner, &view, NULL);
    struct_add(state, "dictionary", convert_to_array(&view));
    mxArray *answer = host_call((mxArray *)j->callback, state);
    const int stop = !answer || (mxIsLogical(answer) && mxIsLogicalScalarTrue(answer));
    mxDestroyArray(state);
    j->interrupted = !answer;
    if (answer && mxIsStruct(answer))
        j->trouble = answer;
    else if (answer)
        mxDestroyArray(answer);
    return stop || j->trouble;
}

static int on_progress(void *self, const inco_progress *now) {
    job *j = self;
    if (!strcmp(now->phase, "iteration") && !record(j, now)) return 1;
    if (!j->interrupted) j->interrupted = host_interrupted();
    if (j->interrupted || j->trouble) return 1;
    return j->callback ? tell_user(j, now) : 0;
}

static int begin(job *j, const mxArray *settings, unsigned command) {
    j->options = inco_options_new();
    if (!j->options) return convert_fail(&j->error, INCO_ENOMEM, "out of memory");
    int status = settings_read(j->options, settings, command, &j->error);
    if (status < 0) return status;
    return inco_options_on_progress(j->options, on_progress, j, sizeof(inco_progress), &j->error);
}

static void put(job *j, int i, mxArray *value) {
    if (i < j->nlhs)
        j->plhs[i] = value;
    else
        mxDestroyArray(value);
}

/* ---- Learning ---- */

static const field learn_fields[] = {
    FIELD(inco_learn_info, dim),
    FIELD(inco_learn_info, atoms),
    FIELD(inco_learn_info, signals),
    FIELD(inco_learn_info, iterations),
    FIELD(inco_learn_info, precision),
    FIELD(inco_learn_info, gamma),
    FIELD(inco_learn_info, gamma_relative),
    FIELD(inco_learn_info, tight_ratio),
    FIELD(inco_learn_info, relative_error),
    FIELD(inco_learn_info, mean_cardinality),
    FIELD(inco_learn_info, objective),
    FIELD(inco_learn_info, coherence_max),
    FIELD(inco_learn_info, coherence_rms),
    FIELD(inco_learn_info, coherence_mean),
    FIELD(inco_learn_info, welch),
    FIELD(inco_learn_info, singular_max),
    FIELD(inco_learn_info, singular_min),
    FIELD(inco_learn_info, replaced),
    FIELD(inco_learn_info, replaced_coherent),
    FIELD(inco_learn_info, replaced_exchanged),
    FIELD(inco_learn_info, unused),
    FIELD(inco_learn_info, zero_signals),
    FIELD(inco_learn_info, skipped_atoms),
    FIELD(inco_learn_info, stopped_by),
    FIELD(inco_learn_info, isa),
    FIELD(inco_learn_info, blas),
    FIELD(inco_learn_info, threads),
    FIELD(inco_learn_info, seconds_code),
    FIELD(inco_learn_info, seconds_update),
    FIELD(inco_learn_info, seconds_io),
    FIELD(inco_learn_info, seconds_total),
    FIELD(inco_learn_info, spread_passes),
    FIELD(inco_learn_info, spread_pairs),
    FIELD(inco_learn_info, seconds_spread),
    FIELD(inco_learn_info, coherence_target),
    FIELD(inco_learn_info, eta),
    FIELD(inco_learn_info, start_coherence_max),
    FIELD(inco_learn_info, start_coherence_rms),
    FIELD(inco_learn_info, replaced_last),
    FIELD(inco_learn_info, rank),
    FIELD(inco_learn_info, start_projected),
    FIELD(inco_learn_info, start_replaced),
    FIELD(inco_learn_info, ranks),
    FIELD(inco_learn_info, cluster_updates),
    FIELD(inco_learn_info, cluster_bytes),
    FIELD(inco_learn_info, weight),
    FIELD(inco_learn_info, left_out),
    FIELD(inco_learn_info, empty_signals),
    FIELD(inco_learn_info, missing_entries),
    FIELD(inco_learn_info, dropout),
    FIELD(inco_learn_info, stop_gain),
};

static const field point_fields[] = {
    FIELD(inco_path_point, gamma),          FIELD(inco_path_point, gamma_relative),
    FIELD(inco_path_point, coherence_max),  FIELD(inco_path_point, coherence_rms),
    FIELD(inco_path_point, singular_max),   FIELD(inco_path_point, singular_min),
    FIELD(inco_path_point, relative_error), FIELD(inco_path_point, mean_cardinality),
    FIELD(inco_path_point, judgement),      FIELD(inco_path_point, cost),
    FIELD(inco_path_point, order),
};

/* The iterations: a struct of rows. */
static mxArray *history_struct(const job *j) {
    mxArray *to = mxCreateStructMatrix(1, 1, 0, NULL);
    for (int i = 0; i < RECORDED; i++) {
        mxArray *row = mxCreateDoubleMatrix(1, (mwSize)j->iterations, mxREAL);
        double *values = mxGetData(row);
        for (int64_t n = 0; n < j->iterations; n++) values[n] = j->history[n * RECORDED + i];
        struct_add(to, progress_fields[i].name, row);
    }
    return to;
}

/* The regularisation path: a struct of rows, one entry per point, and `chosen`, counted from 1; empty without one. */
static mxArray *path_struct(const inco_learner *learner) {
    inco_path path = INCO_INIT(inco_path);
    inco_path_point point = INCO_INIT(inco_path_point);
    if (inco_learner_path(learner, &path, NULL) < 0 || !path.count) return mxCreateDoubleMatrix(0, 0, mxREAL);
    mxArray *to = mxCreateStructMatrix(1, 1, 0, NULL), *residual;
    struct_add(to, "chosen", mxCreateDoubleScalar((double)path.chosen + 1));
    struct_add(to, "cardinality", convert_integers(path.cardinality, path.cardinalities, 0));
    residual = mxCreateDoubleMatrix((mwSize)path.cardinalities, (mwSize)path.count, mxREAL);
    for (int i = 0; i < COUNT(point_fields); i++)
        struct_add(to, point_fields[i].name, mxCreateDoubleMatrix(1, (mwSize)path.count, mxREAL));
    for (int64_t n = 0; n < path.count && inco_learner_path_point(learner, n, &point, NULL) >= 0; n++) {
        for (int i = 0; i < COUNT(point_fields); i++)
            ((double *)mxGetData(mxGetField(to, 0, point_fields[i].name)))[n] = field_number(&point_fields[i], &point);
        for (int64_t k = 0; k < path.cardinalities; k++)
            ((double *)mxGetData(residual))[n * path.cardinalities + k] = point.residual[k];
    }
    struct_add(to, "residual", residual);
    return to;
}

/* Everything about a run but the dictionary. */
static mxArray *learned_struct(const job *j, const inco_learner *learner) {
    inco_learn_info info = INCO_INIT(inco_learn_info);
    inco_mat mean = {0};
    int64_t atoms = 0;
    inco_learner_info(learner, &info, NULL);
    inco_learner_mean(learner, &mean, NULL);
    const int64_t *uses = inco_learner_usage(learner, &atoms);
    mxArray *to = convert_to_struct(learn_fields, COUNT(learn_fields), &info);
    struct_add(to, "mean", convert_to_array(&mean));
    struct_add(to, "use_count", convert_integers(uses, atoms, 0));
    struct_add(to, "history", history_struct(j));
    struct_add(to, "path", path_struct(learner));
    return to;
}

/* The dictionary and the info of the last run that Ctrl-C ended. */
static mxArray *saved[2];

static void forget_saved(void) {
    for (int i = 0; i < 2; i++) {
        if (saved[i]) mxDestroyArray(saved[i]);
        saved[i] = NULL;
    }
}

static void save_interrupted(const mxArray *dictionary, const mxArray *info) {
    forget_saved();
    saved[0] = mxDuplicateArray(dictionary);
    saved[1] = mxDuplicateArray(info);
    for (int i = 0; i < 2; i++) mexMakeArrayPersistent(saved[i]);
    mexAtExit(forget_saved);
}

static int put_learned(job *j, inco_learner *learner) {
    inco_csc codes = {0};
    inco_mat view;
    int status = inco_learner_dictionary(learner, &view, &j->error);
    if (status < 0) return status;
    if (j->nlhs > 2 && !j->interrupted) status = inco_learner_encode(learner, &codes, &j->error);
    if (status < 0) return status;
    mxArray *dictionary = convert_to_array(&view), *info = learned_struct(j, learner);
    if (j->interrupted) save_interrupted(dictionary, info);
    put(j, 0, dictionary);
    put(j, 1, info);
    put(j, 2, convert_to_sparse(&codes));
    inco_csc_free(&codes);
    return status;
}

static int learn(job *j, const mxArray **in) {
    signals s = {.source = INCO_INIT(inco_source)};
    inco_learner *learner = NULL;
    inco_mat initial;
    const int has_data = !mxIsEmpty(in[0]), has_initial = !mxIsEmpty(in[1]);
    int status = begin(j, in[2], INCO_LEARN);
    if (!mxIsEmpty(in[3])) j->callback = in[3];
    if (status >= 0 && has_data) status = signals_open(&s, in[0], j->options, &j->error);
    if (status >= 0 && has_initial) status = convert_matrix(&initial, in[1], "the initial dictionary", &j->error);
    if (status >= 0) status = inco_learner_new(&learner, has_data ? &s.source : NULL, j->options, &j->error);
    if (status >= 0 && has_initial) status = inco_learner_start_from(learner, &initial, &j->error);
    j->learner = learner;
    if (status >= 0) status = inco_learner_run(learner, &j->error);
    j->learner = NULL;
    if (status >= 0 && !j->trouble) status = put_learned(j, learner);
    inco_learner_free(learner);
    signals_close(&s);
    return status;
}

static int interrupted(job *j, const mxArray **in) {
    (void)in;
    if (!saved[0]) return convert_fail(&j->error, INCO_EINVAL, "no run has been interrupted");
    put(j, 0, mxDuplicateArray(saved[0]));
    put(j, 1, mxDuplicateArray(saved[1]));
    return INCO_OK;
}

/* ---- Sparse coding ---- */

static const field encode_fields[] = {
    FIELD(inco_encode_info, dim),
    FIELD(inco_encode_info, atoms),
    FIELD(inco_encode_info, signals),
    FIELD(inco_encode_info, nonzeros),
    FIELD(inco_encode_info, mean_cardinality),
    FIELD(inco_encode_info, relative_error),
    FIELD(inco_encode_info, snr_db),
    FIELD(inco_encode_info, skipped_atoms),
    FIELD(inco_encode_info, zero_signals),
    FIELD(inco_encode_info, zero_atoms),
    FIELD(inco_encode_info, seconds_code),
    FIELD(inco_encode_info, seconds_io),
    FIELD(inco_encode_info, seconds_total),
    FIELD(inco_encode_info, missing_entries),
    FIELD(inco_encode_info, empty_signals),
};

static int encode(job *j, const mxArray **in) {
    signals s = {.source = INCO_INIT(inco_source)};
    inco_encode_info info = INCO_INIT(inco_encode_info);
    inco_csc codes = {0};
    inco_mat d;
    int status = begin(j, in[2], INCO_ENCODE);
    if (status >= 0) status = convert_matrix(&d, in[0], "D", &j->error);
    if (status >= 0) status = signals_open(&s, in[1], j->options, &j->error);
    if (status >= 0) status = inco_encode(&d, &s.source, j->options, &codes, &info, &j->error);
    if (status >= 0) {
        put(j, 0, convert_to_sparse(&codes));
        put(j, 1, convert_to_struct(encode_fields, COUNT(encode_fields), &info));
    }
    inco_csc_free(&codes);
    signals_close(&s);
    return status;
}

static int decode(job *j, const mxArray **in) {
    inco_mat d, x = {0};
    inco_csc codes;
    int status = convert_matrix(&d, in[0], "D", &j->error);
    if (status >= 0) status = convert_codes(&codes, in[1], "C", &j->error);
    if (status >= 0) status = inco_decode(&d, &codes, NULL, &x, &j->error);
    if (status >= 0) put(j, 0, convert_to_array(&x));
    inco_mat_free(&x);
    return status;
}

/* ---- Coherence ---- */

static const field metric_fields[] = {
    FIELD(inco_metrics, dim),           FIELD(inco_metrics, atoms),          FIELD(inco_metrics, zero_atoms),
    FIELD(inco_metrics, norm_min),      FIELD(inco_metrics, norm_max),       FIELD(inco_metrics, coherence_max),
    FIELD(inco_metrics, coherence_rms), FIELD(inco_metrics, coherence_mean), FIELD(inco_metrics, coherence_median),
    FIELD(inco_metrics, welch),         FIELD(inco_metrics, erc_sparsity),   FIELD(inco_metrics, babel_sparsity),
    FIELD(inco_metrics, flat_singular), FIELD(inco_metrics, frame_lower),    FIELD(inco_metrics, frame_upper),
    FIELD(inco_metrics, duplicates),    FIELD(inco_metrics, rank),
};

/* Pairs are columns (first, second), counted from 1. */
static mxArray *metrics_struct(const inco_metrics *m) {
    mxArray *to = convert_to_struct(metric_fields, COUNT(metric_fields), m);
    mxArray *pairs = mxCreateDoubleMatrix(2, (mwSize)m->pair_count, mxREAL);
    double *pair = mxGetData(pairs);
    for (int64_t i = 0; i < m->pair_count; i++) {
        pair[2 * i] = (double)m->pair_first[i] + 1;
        pair[2 * i + 1] = (double)m->pair_second[i] + 1;
    }
    struct_add(to, "bound_name", mxCreateString(inco_bound_name(m->rank > 0 ? m->rank : m->dim, m->atoms)));
    struct_add(to, "babel", convert_doubles(m->babel, 1, m->babel_count));
    struct_add(to, "histogram", convert_integers(m->histogram, m->histogram_count, 0));
    struct_add(to, "singular", convert_doubles(m->singular, 1, m->singular_count));
    struct_add(to, "pairs", pairs);
    struct_add(to, "pair_similarity", convert_doubles(m->pair_similarity, 1, m->pair_count));
    struct_add(to, "nearest", convert_integers(m->nearest, m->nearest_count, 1));
    struct_add(to, "nearest_similarity", convert_doubles(m->nearest_similarity, 1, m->nearest_count));
    struct_add(to, "quantile_level", convert_doubles(m->quantile_level, 1, m->quantile_count));
    struct_add(to, "nearest_quantile", convert_doubles(m->nearest_quantile, 1, m->quantile_count));
    struct_add(to, "duplicate_first", convert_integers(m->duplicate_first, m->duplicate_count, 1));
    struct_add(to, "duplicate_second", convert_integers(m->duplicate_second, m->duplicate_count, 1));
    struct_add(to, "duplicate_similarity", convert_doubles(m->duplicate_similarity, 1, m->duplicate_count));
    return to;
}

static int inspect(job *j, const mxArray **in) {
    inco_metrics metrics = INCO_INIT(inco_metrics);
    inco_mat d;
    int status = begin(j, in[1], INCO_INSPECT);
    if (status >= 0) status = convert_matrix(&d, in[0], "D", &j->error);
    if (status >= 0) status = inco_inspect(&d, j->options, &metrics, &j->error);
    if (status >= 0) put(j, 0, metrics_struct(&metrics));
    inco_metrics_free(&metrics);
    return status;
}

static const field comparison_fields[] = {
    FIELD(inco_comparison, dim),
    FIELD(inco_comparison, atoms_a),
    FIELD(inco_comparison, atoms_b),
    FIELD(inco_comparison, zero_a),
    FIELD(inco_comparison, zero_b),
    FIELD(inco_comparison, matched),
    FIELD(inco_comparison, mean_similarity),
    FIELD(inco_comparison, mean_nearest_a),
    FIELD(inco_comparison, mean_nearest_b),
    FIELD(inco_comparison, collisions_a),
    FIELD(inco_comparison, collisions_b),
    FIELD(inco_comparison, coherence_max_a),
    FIELD(inco_comparison, coherence_rms_a),
    FIELD(inco_comparison, coherence_max_b),
    FIELD(inco_comparison, coherence_rms_b),
    FIELD(inco_comparison, seconds_total),
};

/* Atoms are counted from 1; 0: none. */
static mxArray *comparison_struct(const inco_comparison *c) {
    mxArray *to = convert_to_struct(comparison_fields, COUNT(comparison_fields), c);
    struct_add(to, "match", convert_integers(c->match, c->atoms_a, 1));
    struct_add(to, "match_similarity", convert_doubles(c->match_similarity, 1, c->atoms_a));
    struct_add(to, "nearest_a", convert_integers(c->nearest_a, c->atoms_a, 1));
    struct_add(to, "nearest_b", convert_integers(c->nearest_b, c->atoms_b, 1));
    struct_add(to, "nearest_similarity_a", convert_doubles(c->nearest_similarity_a, 1, c->atoms_a));
    struct_add(to, "nearest_similarity_b", convert_doubles(c->nearest_similarity_b, 1, c->atoms_b));
    struct_add(to, "threshold", convert_doubles(c->threshold, 1, c->threshold_count));
    struct_add(to, "recovered", convert_integers(c->recovered, c->threshold_count, 0));
    struct_add(to, "recovered_a", convert_integers(c->recovered_a, c->threshold_count, 0));
    struct_add(to, "recovered_b", convert_integers(c->recovered_b, c->threshold_count, 0));
    struct_add(to, "histogram", convert_integers(c->histogram, c->histogram_count, 0));
    return to;
}

static int compare(job *j, const mxArray **in) {
    inco_comparison comparison = INCO_INIT(inco_comparison);
    inco_mat a, b;
    int status = begin(j, in[2], INCO_COMPARE);
    if (status >= 0) status = convert_matrix(&a, in[0], "A", &j->error);
    if (status >= 0) status = convert_matrix(&b, in[1], "B", &j->error);
    if (status >= 0) status = inco_compare(&a, &b, j->options, &comparison, &j->error);
    if (status >= 0) put(j, 0, comparison_struct(&comparison));
    inco_comparison_free(&comparison);
    return status;
}

static const field decohere_fields[] = {
    FIELD(inco_decohere_info, dim),
    FIELD(inco_decohere_info, atoms),
    FIELD(inco_decohere_info, zero_atoms),
    FIELD(inco_decohere_info, precision),
    FIELD(inco_decohere_info, bound),
    FIELD(inco_decohere_info, welch),
    FIELD(inco_decohere_info, coherence_before),
    FIELD(inco_decohere_info, coherence_max),
    FIELD(inco_decohere_info, coherence_rms),
    FIELD(inco_decohere_info, reached),
    FIELD(inco_decohere_info, change),
    FIELD(inco_decohere_info, moved),
    FIELD(inco_decohere_info, signals),
    FIELD(inco_decohere_info, mean_cardinality),
    FIELD(inco_decohere_info, relative_error_before),
    FIELD(inco_decohere_info, relative_error),
    FIELD(inco_decohere_info, stages),
    FIELD(inco_decohere_info, iterations),
    FIELD(inco_decohere_info, threads),
    FIELD(inco_decohere_info, seconds_code),
    FIELD(inco_decohere_info, seconds_total),
};

static int decohere(job *j, const mxArray **in) {
    signals s = {.source = INCO_INIT(inco_source)};
    inco_decohere_info info = INCO_INIT(inco_decohere_info);
    inco_mat d, result = {0};
    const int has_data = !mxIsEmpty(in[1]);
    int status = begin(j, in[2], INCO_DECOHERE);
    if (status >= 0) status = convert_matrix(&d, in[0], "D", &j->error);
    if (status >= 0 && has_data) status = signals_open(&s, in[1], j->options, &j->error);
    if (status >= 0) status = inco_decohere(&d, has_data ? &s.source : NULL, j->options, &result, &info, &j->error);
    if (status >= 0) {
        put(j, 0, convert_to_array(&result));
        put(j, 1, convert_to_struct(decohere_fields, COUNT(decohere_fields), &info));
    }
    inco_mat_free(&result);
    signals_close(&s);
    return status;
}

static const field frame_fields[] = {
    FIELD(inco_frame_info, dim),           FIELD(inco_frame_info, atoms),         FIELD(inco_frame_info, precision),
    FIELD(inco_frame_info, coherence_max), FIELD(inco_frame_info, coherence_rms), FIELD(inco_frame_info, welch),
    FIELD(inco_frame_info, tightness),     FIELD(inco_frame_info, starts),        FIELD(inco_frame_info, start),
    FIELD(inco_frame_info, stopped_by),    FIELD(inco_frame_info, threads),       FIELD(inco_frame_info, seconds_total),
};

static int frame(job *j, const mxArray **in) {
    inco_frame_info info = INCO_INIT(inco_frame_info);
    inco_mat result = {0};
    int status = begin(j, in[0], INCO_FRAME);
    if (status >= 0) status = inco_frame(j->options, &result, &info, &j->error);
    if (status >= 0) {
        put(j, 0, convert_to_array(&result));
        put(j, 1, convert_to_struct(frame_fields, COUNT(frame_fields), &info));
    }
    inco_mat_free(&result);
    return status;
}

/* ---- Dispatch ---- */

static int list_options(job *j, const mxArray **in);

static const struct command {
    const char *name;
    int (*run)(job *j, const mxArray **in);
    int arguments;
    unsigned options; /* INCO_LEARN, ...; 0: it takes none */
} commands[] = {
    {"learn", learn, 4, INCO_LEARN},       {"encode", encode, 3, INCO_ENCODE},       {"decode", decode, 2, 0},
    {"inspect", inspect, 2, INCO_INSPECT}, {"decohere", decohere, 3, INCO_DECOHERE}, {"frame", frame, 1, INCO_FRAME},
    {"compare", compare, 3, INCO_COMPARE}, {"options", list_options, 1, 0},          {"interrupted", interrupted, 0, 0},
};

static const struct command *find_command(const mxArray *name) {
    char text[16] = "";
    if (mxIsChar(name)) mxGetString(name, text, sizeof text);
    for (int i = 0; i < COUNT(commands); i++)
        if (!strcmp(commands[i].name, text)) return &commands[i];
    return NULL;
}

static int list_options(job *j, const mxArray **in) {
    const struct command *command = find_command(in[0]);
    if (!command || !command->options)
        return convert_fail(&j->error, INCO_EINVAL,
                            "options are those of learn, encode, inspect, compare, decohere or frame");
    put(j, 0, settings_table(command->options));
    return INCO_OK;
}

/* Identifier of an error, by the status of the library. */
static const char *identifier(int status) {
    static const char *const of[] = {"inco:failed", "inco:memory",    "inco:invalid",  "inco:file",   "inco:format",
                                     "inco:data",   "inco:dimension", "inco:notBuilt", "inco:numeric"};
    return of[-status < COUNT(of) ? -status : 0];
}

/* Raises an error. mexErrMsgIdAndTxt would begin its message with the name of this file. */
static void raise_error(const char *id, const char *message) {
    mxArray *parts[] = {mxCreateString(id), mxCreateString("%s"), mxCreateString(message)};
    mexCallMATLAB(0, NULL, 3, parts, "error");
}

INCO_API void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
    const struct command *command = nrhs > 0 ? find_command(prhs[0]) : NULL;
    job j = {.nlhs = nlhs > 1 ? nlhs : 1, .plhs = plhs};
    if (!command || nrhs != 1 + command->arguments) {
        raise_error("inco:invalid", "inco_mex is called by inco_learn, inco_encode and the others only");
        return;
    }
    const int status = command->run(&j, prhs + 1);
    free(j.history);
    inco_options_free(j.options);
    if (j.trouble) mexCallMATLAB(0, NULL, 1, &j.trouble, "rethrow");
    settings_spell(j.error.message);
    if (status < 0) raise_error(identifier(status), j.error.message);
}
