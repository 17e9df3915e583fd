/* The methods that store residuals or codes, and the exchange of atoms, through the learner: recovery, bits that depend
 * only on data and options, resumed runs, and failing memory. */
#include "check.h"

#include <stdlib.h>

#include "base/memory.h"
#include "learning.h"

typedef struct method_case {
    const char *method, *option, *value; /* one of its options, to be tested with; NULL: none */
    int recovers;                        /* recovers a planted dictionary */
} method_case;

static const method_case cases[] = {
    {"ksvd", NULL, NULL, 0}, /* ends with two atoms that share one true atom */
    {"aksvd", NULL, NULL, 1},
    {"ksvd", "replace", "0.7", 1},
    {"aksvd", "replace", "0.7", 1},
    {"inksvd", "max-coherence", "0.6", 0},
    {"ipr", "max-coherence", "0.6", 0},
    {"aksvdc", "gamma-relative", "0.05", 0},
    {"idb", "max-coherence", "0.6", 0},
    {"idl", "max-coherence", "0.5", 0},
    {"mod", "code-updates", "2", 0},
    {"ksvd", "exchange", "yes", 1},
    {"mod", "exchange", "yes", 1},
    {"online", "exchange", "yes", 1},
};
enum { CASES = sizeof cases / sizeof *cases };

static inco_options *options_of(const method_case *c, const char *const *more) {
    inco_options *o = check_options(more);
    assert_int_equal(inco_options_set(o, "method", c->method, NULL), INCO_OK);
    if (c->option) assert_int_equal(inco_options_set(o, c->option, c->value, NULL), INCO_OK);
    return o;
}
#define OPTIONS_OF(c, ...) options_of(c, (const char *const[]){__VA_ARGS__, NULL})

static void a_planted_dictionary_is_recovered(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 20, 40, 1), x = planted_signals(&truth, 3000, 3, 2), d;
    inco_source source = mat_source_of(&x);
    for (int i = 0; i < CASES; i++) {
        if (!cases[i].recovers) continue;
        inco_options *o =
            OPTIONS_OF(&cases[i], "atoms", "40", "coder", "omp", "sparsity", "3", "iterations", "60", "threads", "1");
        inco_learn_info info = INCO_INIT(inco_learn_info);
        assert_int_equal(inco_learn(&source, o, &d, &info, NULL), INCO_OK);
        assert_true(recovered(&truth, &d) >= 0.9);
        assert_true(info.relative_error < 0.3);
        inco_mat_free(&d);
        inco_options_free(o);
    }
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* More than one group of signals, atoms with more than one block of signals. */
static void same_bits_for_any_number_of_threads(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 24, 60, 3), x = planted_signals(&truth, 6000, 5, 4);
    for (int i = 0; i < CASES; i++)
        check_threads(&x, OPTIONS_OF(&cases[i], "atoms", "60", "coder", "omp", "sparsity", "5", "iterations", "2"));
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* ---- Checkpoints ---- */

static void a_resumed_run_has_the_same_bits(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 16, 40, 5), x = planted_signals(&truth, 1500, 4, 6);
    inco_source source = mat_source_of(&x);
    int64_t exchanged = 0;
    for (int i = 0; i < CASES; i++) {
        inco_options *o = OPTIONS_OF(&cases[i], "atoms", "60", "coder", "omp", "sparsity", "4", "iterations", "6",
                                     "threads", "1", "init", "dct");
        resumption r;
        check_resumed(&r, &source, o, 3);
        assert_int_equal(r.whole.told, 6);
        const inco_learn_info whole = check_info(r.whole.learner), resumed = check_info(r.resumed);
        const inco_learn_info *a = &whole, *b = &resumed;
        assert_true(a->objective == b->objective);
        assert_int_equal(a->replaced, r.whole.replaced);
        assert_int_equal(a->replaced_coherent, b->replaced_coherent);
        if (cases[i].option && !strcmp(cases[i].option, "replace")) assert_true(a->replaced_coherent > 0);
        assert_int_equal(a->replaced_exchanged, b->replaced_exchanged);
        exchanged += a->replaced_exchanged;
        assert_int_equal(a->spread_passes, b->spread_passes);
        assert_int_equal(a->spread_pairs, b->spread_pairs);
        resumption_free(&r);
    }
    assert_true(exchanged > 0);
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

/* Methods with a target reach it on data with coherent atoms, and report the effort. */
static void targets_are_reached_or_told(void **state) {
    const inco_type type = *(inco_type *)*state;
    inco_mat truth = check_dictionary(type, 16, 40, 7), x = planted_signals(&truth, 2000, 4, 8), d;
    inco_source source = mat_source_of(&x);
    static const char *const methods[] = {"inksvd", "ipr"}, *const targets[] = {"0.5", "0.35", "0.1"};
    for (int i = 0; i < 6; i++) {
        const char *target = targets[i / 2];
        inco_options *o = OPTIONS("atoms", "40", "method", methods[i % 2], "max-coherence", target, "coder", "omp",
                                  "sparsity", "4", "iterations", "4", "threads", "1");
        inco_learn_info info = INCO_INIT(inco_learn_info);
        if (i == 4) inco_options_set(o, "decorrelation-passes", "5", NULL);
        if (i == 5) inco_options_set(o, "ipr-iterations", "5", NULL);
        assert_int_equal(inco_learn(&source, o, &d, &info, NULL), INCO_OK);
        assert_near(info.coherence_target, atof(target) + 1e-3, 1e-15);
        assert_int_equal(info.coherence_max <= info.coherence_target + 1e-6, i < 4);
        assert_true(i < 4 || info.spread_passes == 20); /* infeasible for 40 atoms in 16 dimensions */
        assert_true(info.spread_passes > 0 && info.seconds_spread > 0 && info.seconds_spread <= info.seconds_update);
        assert_int_equal(info.spread_pairs > 0, i % 2 == 0);
        inco_mat_free(&d);
        inco_options_free(o);
    }
    inco_mat_free(&truth);
    inco_mat_free(&x);
}

static void failing_memory_is_survived(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F32, 6, 80, 17);
    for (int i = 0; i < CASES; i++) {
        inco_options *o =
            OPTIONS_OF(&cases[i], "atoms", "9", "sparsity", "3", "coder", "omp", "iterations", "2", "threads", "1");
        check_failing_memory(&x, o, 40);
    }
    inco_mat_free(&x);
}

/* ---- Invalid combinations ---- */

static void options_of_other_methods_are_refused(void **state) {
    (void)state;
    inco_mat x = check_random(INCO_F64, 6, 80, 18);
    inco_source source = mat_source_of(&x);
    static const char *const wrong[][4] = {
        {"ksvd", "gamma", "1",
         "option 'gamma' belongs to option 'method' = 'idl|mocod|online|aksvdc|idb', not to ksvd"},
        {"aksvd", "norms", "rescale", "option 'norms' belongs to option 'method' = 'idl', not to aksvd"},
        {"ksvd", "update-iterations", "3",
         "option 'update-iterations' belongs to option 'method' = 'idl|mocod|parametric', not to ksvd"},
        {"idl", "replace", "0.9", "option 'replace' belongs to option 'method' = 'ksvd|aksvd', not to idl"},
        {"mod", "replace", "0.9", "option 'replace' belongs to option 'method' = 'ksvd|aksvd', not to mod"},
        {"mod", "max-coherence", "0.5",
         "option 'max-coherence' belongs to option 'method' = 'idl|online|inksvd|ipr|idb', not to mod"},
        {"ksvd", "code-updates", "2",
         "option 'code-updates' belongs to option 'method' = 'idl|mod|mocod', not to ksvd"},
        {"ksvd", "max-coherence", "0.5",
         "option 'max-coherence' belongs to option 'method' = 'idl|online|inksvd|ipr|idb', not to ksvd"},
        {"ipr", "decorrelation-passes", "5",
         "option 'decorrelation-passes' belongs to option 'method' = 'inksvd', not to ipr"},
        {"ipr", "decorrelation-tolerance", "0.1",
         "option 'decorrelation-tolerance' belongs to option 'method' = 'inksvd', not to ipr"},
        {"inksvd", "ipr-iterations", "5", "option 'ipr-iterations' belongs to option 'method' = 'ipr', not to inksvd"},
        {"inksvd", "sparsity", "5", "option 'method' = 'inksvd' needs a target: option 'max-coherence'"},
        {"aksvdc", "norms", "rescale", "option 'norms' belongs to option 'method' = 'idl', not to aksvdc"},
        {"aksvdc", "max-coherence", "0.5",
         "option 'max-coherence' belongs to option 'method' = 'idl|online|inksvd|ipr|idb', not to aksvdc"},
        {"aksvdc", "barrier", "5", "option 'barrier' belongs to option 'method' = 'idb', not to aksvdc"},
        {"idb", "replace", "0.5", "option 'replace' belongs to option 'method' = 'ksvd|aksvd', not to idb"},
        {"idb", "max-coherence", "0", "option 'method' = 'idb' needs option 'max-coherence' above 0"},
        {"idb", "sparsity", "5", "option 'method' = 'idb' needs a target: option 'max-coherence'"},
        {"ksvd", "unused", "keep",
         "option 'min-uses' replaces atoms, option 'unused' = 'keep' replaces none: give one of them"},
        {"ksvd", "exchange", "yes", "options 'exchange' and 'replace' both replace coherent atoms: give one of them"},
        {"ipr", "sparsity", "5", "option 'method' = 'ipr' needs a target: option 'max-coherence'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        inco_options *o = OPTIONS("atoms", "9", "method", wrong[i][0], wrong[i][1], wrong[i][2]);
        if (!strcmp(wrong[i][1], "unused")) inco_options_set(o, "min-uses", "4", NULL);
        if (!strcmp(wrong[i][1], "exchange")) inco_options_set(o, "replace", "0.7", NULL);
        inco_learner *learner;
        inco_error error;
        assert_int_equal(inco_learner_new(&learner, &source, o, &error), INCO_EINVAL);
        assert_string_equal(error.message, wrong[i][3]);
        inco_options_free(o);
    }
    inco_mat_free(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BOTH(a_planted_dictionary_is_recovered),      BOTH(same_bits_for_any_number_of_threads),
        BOTH(a_resumed_run_has_the_same_bits),        BOTH(targets_are_reached_or_told),
        cmocka_unit_test(failing_memory_is_survived), cmocka_unit_test(options_of_other_methods_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
