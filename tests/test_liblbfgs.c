/* IDL's update against an independent minimiser, liblbfgs; skipped if that is not installed. */
#include <stdio.h>

#ifdef HAVE_LIBLBFGS
#include <lbfgs.h>

#include "sample.h"
#include "update/idl.h"

static const int64_t shapes[][2] = {{8, 20}, {20, 8}, {9, 9}};
static const double gammas[] = {0, 0.3, 40};

static lbfgsfloatval_t oracle_eval(void *self, const lbfgsfloatval_t *x, lbfgsfloatval_t *g, const int n,
                                   const lbfgsfloatval_t step) {
    idl *w = self;
    lbfgs_point at = {(double *)x, g, 0};
    (void)n, (void)step;
    w->problem.eval(w, &at, NULL);
    return at.f;
}

static double oracle_minimum(const sample *t, update_settings chosen) {
    idl w;
    lbfgs_parameter_t parameter;
    lbfgsfloatval_t f = 0;
    assert_int_equal(idl_open(&w, &t->d, &t->s, &chosen, NULL), INCO_OK);
    lbfgs_parameter_init(&parameter);
    parameter.linesearch = LBFGS_LINESEARCH_BACKTRACKING_STRONG_WOLFE;
    parameter.epsilon = 1e-9;
    parameter.max_iterations = 5000;
    const int n = (int)w.problem.n;
    lbfgsfloatval_t *x = lbfgs_malloc(n);
    memcpy(x, w.x.data, (size_t)n * sizeof *x);
    lbfgs(n, x, &f, oracle_eval, NULL, &w, &parameter);
    lbfgs_free(x);
    idl_close(&w);
    return f;
}

/* The minimum over free norms, before they are normalised. */
static double free_minimum(const sample *t, const update_settings *chosen) {
    const lbfgs_settings settings = {6, 3000, 1e-9, 1, 0};
    lbfgs_result r;
    idl w;
    assert_int_equal(idl_open(&w, &t->d, &t->s, chosen, NULL), INCO_OK);
    assert_int_equal(lbfgs_minimize(&w.problem, &settings, w.x.data, &r, NULL), INCO_OK);
    idl_close(&w);
    return r.after;
}

static double sphere_minimum(const sample *t, const update_settings *chosen) {
    update_result r;
    inco_mat d = copy_of(&t->d);
    assert_int_equal(idl_update(&d, &t->s, chosen, &r, NULL), INCO_OK);
    inco_mat_free(&d);
    return r.after;
}

static void the_optimum_is_that_of_liblbfgs(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        sample t = sample_new(shapes[k][0], shapes[k][1], 400, 0, 0.2);
        for (int i = 0; i < 3; i++)
            for (int form = 0; form < FORMS; form++) {
                const update_settings chosen = SETTINGS(gammas[i], form, 3000, 1);
                const double oracle = oracle_minimum(&t, SETTINGS(gammas[i], form == FREE ? FREE : KEPT, 1, 1));
                const double found = form == FREE ? free_minimum(&t, &chosen) : sphere_minimum(&t, &chosen);
                assert_near(found, oracle, 1e-8 * fabs(oracle));
            }
        sample_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_optimum_is_that_of_liblbfgs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
    puts("skipped: test_liblbfgs: no liblbfgs (Debian: liblbfgs-dev)");
    return 77;
}
#endif
