#include "learn/learn_options.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "code/coder_options.h"
#include "design/bound.h"
#include "learn/method.h"
#include "learn/methods.h"
#include "learn/path.h"
#include "replace/replace.h"

/* ---- Rows ---- */

#define WORD(name, help) "|" #name
#define HELP(name, help) "; " #name ": " help

static const option_row rows[] = {
    CHOICE_OPTION(learn_options, method, "method", "NAME", "idl", &(METHODS(WORD))[1], INCO_LEARN, "Dictionary",
                  &(METHODS(HELP))[2]),
    INTEGER_OPTION(learn_options, iterations, "iterations", "N", "25", 0, OPTION_MANY, INCO_LEARN, "Dictionary",
                   "learning iterations: sparse coding of all signals, then dictionary update"),
    TEXT_OPTION(learn_options, init, "init", "START", "sample", INCO_LEARN, "Dictionary",
                "initial dictionary: sample (random signals), dct, random, or a file"),
    INTEGER_OPTION(learn_options, update_iterations, "update-iterations", "N", "15", 1, OPTION_MANY, INCO_LEARN,
                   "Methods", "L-BFGS iterations (mocod: fixed-point steps) per dictionary update"),
    INTEGER_OPTION(learn_options, code_updates, "code-updates", "N", NULL, 0, 100, INCO_LEARN, "Methods",
                   "idl, mod, mocod: extra updates per iteration, each a least-squares refit of the coefficients on "
                   "their support and a dictionary update (default 0; idl with option 'max-coherence': 1, or 3 if the "
                   "coder gives least-squares coefficients)"),
    CHOICE_OPTION(
        learn_options, schedule, "schedule", "NAME", "auto", "auto|growing|batch", INCO_LEARN, "Methods",
        "idl: growing: the first iterations update the dictionary after batches of signals, which grow until "
        "they are whole passes; batch: one update per iteration, as in the paper; auto: growing if there are "
        "at least 64 signals and eight per atom, the initial dictionary is not given, and neither a bound nor a path "
        "of gamma is wanted"),
    REAL_OPTION(learn_options, stop_change, "stop-change", "R", "0", 0, 1, INCO_LEARN, "Run",
                "stop when an iteration changes the dictionary by at most R, relative to its norm (0: never)"),
};

const options_part learn_part = {OPTIONS_PART(rows, learn_options), .commands = INCO_LEARN, .check = learn_check};

/* ---- Options of some methods only ---- */

static int knows(const method *m, const char *option) {
    for (int i = 0; m->part && i < m->part->count; i++)
        if (!strcmp(m->part->rows[i].public.name, option)) return 1;
    return m->takes && options_is_among(option, m->takes);
}

/* Lists, as a|b|c, the methods that take an option, or (option NULL) that work with --gamma auto. */
static void list_methods(const char *option, char *text, size_t size) {
    const method *m;
    size_t used = 0;
    *text = 0;
    for (int i = 0; (m = method_at(i)) && used < size; i++)
        if (option ? knows(m, option) : m->takes_auto)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "|" : "", m->name);
}

static int check_known(const inco_options *options, const method *m, inco_error *error) {
    const inco_option *option;
    char methods[256];
    for (int i = 0; (option = options_at(i)); i++) {
        if (!inco_options_given(options, option->name) || knows(m, option->name)) continue;
        list_methods(option->name, methods, sizeof methods);
        if (*methods)
            return error_set(error, INCO_EINVAL, "option '%s' belongs to option 'method' = '%s', not to %s",
                             option->name, methods, m->name);
    }
    if (!path_wanted(options) || m->takes_auto) return INCO_OK;
    list_methods(NULL, methods, sizeof methods);
    return error_set(error, INCO_EINVAL, "option 'gamma' = 'auto' belongs to option 'method' = '%s', not to %s",
                     methods, m->name);
}

/* ---- Checks ---- */

int learn_check(const inco_options *options, inco_error *error) {
    const method *m = method_of(options);
    int status;
    TRY(check_known(options, m, error));
    if (learn_options_of(options)->schedule == SCHEDULE_GROWING && path_wanted(options))
        TRY(error_set(error, INCO_EINVAL,
                      "option 'schedule' = 'growing' needs a weight: give option 'gamma' or 'gamma-relative' a number, "
                      "or remove it")); /* the points of a path begin with a learned dictionary */
    TRY(replace_check(options, error));
    if (m->tolerance) TRY(bound_check_given(options, m->name, error));
    if (m->check) TRY(m->check(options, error));
    if (m->designs) goto done;
    if (coder_options_of(options)->nonnegative && inco_options_given(options, "code-updates") &&
        learn_options_of(options)->code_updates > 0)
        TRY(error_set(error, INCO_EINVAL,
                      "option 'code-updates' refits coefficients without sign constraint: remove option "
                      "'nonnegative'"));
    TRY(coder_check(options, error));
done:
    return status;
}
