/* Frames of low coherence: the p-norm, the annealing, and inco_frame. */
#include "check.h"

#include <stdlib.h>

#include "base/memory.h"
#include "design/anneal.h"
#include "mat/blas.h"
#include "metric/coherence.h"
#include "pairs/peak.h"

static inco_mat zeros(int64_t rows, int64_t cols) {
    inco_mat m;
    assert_int_equal(inco_mat_new(&m, INCO_F64, rows, cols, NULL), INCO_OK);
    return m;
}

/* ---- The p-norm ---- */

static double direct_peak(const inco_mat *d, double p) {
    double sum = 0;
    for (int64_t j = 0; j < d->cols; j++)
        for (int64_t i = 0; i < j; i++) sum += pow(fabs(blas_dot(d->rows, mat_column(d, i), mat_column(d, j))), p);
    return log(sum) / p;
}

static void the_power_sum_and_its_gradient(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 6, 70, 101), g = zeros(6, 70), unused = zeros(6, 70);
    peak w;
    assert_int_equal(peak_open(&w, 6, 70, 2, NULL), INCO_OK);
    for (w.levels = 1; w.levels <= 6; w.levels++) {
        assert_near(peak_eval(&w, &d, &g), direct_peak(&d, ldexp(1, w.levels)), 1e-12);
        for (int64_t k = 0; k < 10; k++) { /* some entries */
            double *x = (double *)d.data + 41 * k, old = *x, h = 1e-6;
            *x = old + h;
            double up = peak_eval(&w, &d, &unused);
            *x = old - h;
            double down = peak_eval(&w, &d, &unused);
            *x = old;
            assert_near((up - down) / (2 * h), ((double *)g.data)[41 * k], 1e-7);
        }
    }
    coherence mu;
    assert_int_equal(coherence_measure(&d, 1, &mu, NULL), INCO_OK);
    assert_near(peak_largest(&w, &d), mu.max, 1e-15);
    peak_close(&w);
    inco_mat_free(&d);
    inco_mat_free(&g);
    inco_mat_free(&unused);
}

/* At a high order the p-norm is the largest product, whatever was evaluated before. */
static void a_high_order_neither_overflows_nor_vanishes(void **state) {
    (void)state;
    inco_mat low = check_dictionary(INCO_F64, 40, 20, 102), high = check_dictionary(INCO_F64, 3, 20, 103), wide, g;
    peak w;
    wide = zeros(40, 20);
    g = zeros(40, 20);
    for (int64_t j = 0; j < 20; j++)
        for (int64_t i = 0; i < 3; i++) mat_set(&wide, i, j, mat_get(&high, i, j));
    assert_int_equal(peak_open(&w, 40, 20, 1, NULL), INCO_OK);
    w.levels = PEAK_LEVELS;
    for (int k = 0; k < 4; k++) {
        const inco_mat *d = k % 2 ? &wide : &low;
        double f = peak_eval(&w, d, &g);
        assert_near(f, log(peak_largest(&w, d)), 1e-5);
        assert_int_equal(mat_find_nonfinite(&g, &(int64_t){0}, &(int64_t){0}), 0);
        assert_near(blas_dot(800, g.data, d->data), 2, 1e-9); /* F is homogeneous: F(c D) = F(D) + 2 log c */
    }
    peak_close(&w);
    inco_mat_free(&low);
    inco_mat_free(&high);
    inco_mat_free(&wide);
    inco_mat_free(&g);
}

/* ---- Tight frames ---- */

static void a_frame_is_made_tight(void **state) {
    (void)state;
    inco_mat d = check_dictionary(INCO_F64, 5, 13, 104);
    double rest;
    assert_int_equal(anneal_tighten(&d, 2, &rest, NULL), INCO_OK);
    assert_true(rest < 1e-12);
    for (int64_t a = 0; a < 5; a++)
        for (int64_t b = 0; b <= a; b++) {
            double sum = 0;
            for (int64_t j = 0; j < 13; j++) sum += mat_get(&d, a, j) * mat_get(&d, b, j);
            assert_near(sum, a == b ? 13.0 / 5 : 0, 1e-12);
        }
    for (int64_t j = 0; j < 13; j++) assert_near(mat_column_norm(&d, j), 1, 1e-14);
    inco_mat_free(&d);
}

/* ---- The whole search ---- */

static inco_mat frame_of(inco_options *o, inco_frame_info *info) {
    inco_mat d;
    inco_error error = {0};
    if (inco_frame(o, &d, info, &error) != INCO_OK) fail_msg("%s", error.message);
    inco_metrics m = INCO_INIT(inco_metrics); /* its results are those of the frame */
    assert_int_equal(inco_inspect(&d, o, &m, NULL), INCO_OK);
    assert_near(m.coherence_max, info->coherence_max, 1e-15);
    assert_near(m.coherence_rms, info->coherence_rms, 1e-12);
    assert_near(m.norm_min, 1, d.type == INCO_F64 ? 1e-14 : 1e-6);
    assert_true(info->coherence_max >= info->welch - 1e-12 && m.welch == info->welch);
    inco_metrics_free(&m);
    inco_options_free(o);
    return d;
}

/* Equiangular tight frames and optimal packings of the plane, with known coherence. */
static void known_optima_come_out(void **state) {
    (void)state;
    const struct {
        const char *dim, *atoms;
        double coherence;
    } known[] = {{"3", "6", 0.44721359549995794},
                 {"6", "16", 1.0 / 3},
                 {"7", "28", 1.0 / 3},
                 {"5", "6", 0.2},
                 {"2", "5", 0.80901699437494742},
                 {"2", "7", 0.90096886790241915},
                 {"1", "4", 1},
                 {"5", "10", 1.0 / 3}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        inco_frame_info info = INCO_INIT(inco_frame_info);
        inco_mat d = frame_of(OPTIONS("dim", known[k].dim, "atoms", known[k].atoms), &info);
        assert_near(info.coherence_max, known[k].coherence, 1e-9);
        inco_mat_free(&d);
    }
}

static void no_more_atoms_than_dimensions_are_orthonormal(void **state) {
    (void)state;
    inco_frame_info info = INCO_INIT(inco_frame_info);
    inco_mat d = frame_of(OPTIONS("dim", "9", "atoms", "4", "precision", "f32"), &info);
    assert_true(info.coherence_max == 0 && d.type == INCO_F32 && d.rows == 9 && d.cols == 4);
    inco_mat_free(&d);
    d = frame_of(OPTIONS("dim", "4", "atoms", "4", "tight", "yes"), &info);
    assert_true(info.coherence_max == 0 && info.tightness == 0);
    inco_mat_free(&d);
}

static void a_search_has_the_bits_of_one_thread(void **state) {
    (void)state;
    inco_frame_info info[] = {INCO_INIT(inco_frame_info), INCO_INIT(inco_frame_info), INCO_INIT(inco_frame_info)};
    inco_mat d[3];
    const char *threads[] = {"1", "2", "3"};
    for (int i = 0; i < 3; i++)
        d[i] =
            frame_of(OPTIONS("dim", "8", "atoms", "20", "starts", "5", "steps", "40", "threads", threads[i]), &info[i]);
    for (int i = 1; i < 3; i++) {
        assert_memory_equal(d[i].data, d[0].data, 160 * sizeof(double));
        assert_int_equal(info[i].start, info[0].start);
    }
    inco_mat other = frame_of(OPTIONS("dim", "8", "atoms", "20", "starts", "5", "steps", "40", "seed", "1"), &info[1]);
    assert_memory_not_equal(other.data, d[0].data, 160 * sizeof(double));
    assert_true(info[0].coherence_max < 0.325 && info[1].coherence_max < 0.325); /* many starts: .3151 */
    for (int i = 0; i < 3; i++) inco_mat_free(&d[i]);
    inco_mat_free(&other);
}

static void a_tight_frame_is_tight_and_nearly_as_incoherent(void **state) {
    (void)state;
    inco_frame_info tight = INCO_INIT(inco_frame_info), any = INCO_INIT(inco_frame_info);
    inco_mat d = frame_of(OPTIONS("dim", "10", "atoms", "24", "tight", "yes", "starts", "12"), &tight);
    inco_mat e = frame_of(OPTIONS("dim", "10", "atoms", "24", "starts", "12"), &any);
    assert_true(tight.tightness < 1e-10);
    assert_true(any.tightness > 1e-3);
    assert_true(tight.coherence_max < 1.1 * any.coherence_max);
    inco_mat_free(&d);
    inco_mat_free(&e);
}

static int stop_at_once(void *self, const inco_progress *now) {
    *(double *)self = now->coherence_max;
    assert_string_equal(now->phase, "frame");
    assert_true(now->iteration >= 1 && now->iteration <= now->iterations);
    return 1;
}

static void a_search_can_be_stopped(void **state) {
    (void)state;
    inco_options *o = OPTIONS("dim", "12", "atoms", "30", "starts", "1");
    inco_frame_info info = INCO_INIT(inco_frame_info);
    inco_mat d;
    double last;
    check_watch(o, stop_at_once, &last);
    assert_int_equal(inco_frame(o, &d, &info, NULL), INCO_STOPPED);
    assert_string_equal(info.stopped_by, "callback");
    assert_near(info.coherence_max, last, 1e-12);
    assert_true(info.starts == 1 && info.start == 0);
    inco_mat_free(&d);
    inco_options_free(o);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    inco_options *all[] = {OPTIONS("dim", "4"), OPTIONS("atoms", "4"),
                           OPTIONS("dim", "5", "atoms", "4", "tight", "yes")};
    for (int i = 0; i < 3; i++) {
        inco_frame_info info = INCO_INIT(inco_frame_info);
        inco_mat d;
        inco_error error = {0};
        assert_int_equal(inco_frame(all[i], &d, &info, &error), INCO_EINVAL);
        assert_non_null(strstr(error.message, i < 2 ? "'dim'" : "tight"));
        inco_options_free(all[i]);
    }
}

static void lack_of_memory_is_reported(void **state) {
    (void)state;
    int done = 0;
    for (int64_t k = 1; !done; k++) {
        inco_options *o =
            OPTIONS("dim", "3", "atoms", "5", "starts", "2", "steps", "3", "threads", "1", "tight", "yes");
        inco_frame_info info = INCO_INIT(inco_frame_info);
        inco_mat d;
        memory_fail_at(k);
        int status = inco_frame(o, &d, &info, NULL);
        memory_fail_at(0);
        done = status == INCO_OK;
        if (!done) assert_int_equal(status, INCO_ENOMEM);
        inco_mat_free(&d);
        inco_options_free(o);
        assert_true(k < 2000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_power_sum_and_its_gradient),
        cmocka_unit_test(a_high_order_neither_overflows_nor_vanishes),
        cmocka_unit_test(a_frame_is_made_tight),
        cmocka_unit_test(known_optima_come_out),
        cmocka_unit_test(no_more_atoms_than_dimensions_are_orthonormal),
        cmocka_unit_test(a_search_has_the_bits_of_one_thread),
        cmocka_unit_test(a_tight_frame_is_tight_and_nearly_as_incoherent),
        cmocka_unit_test(a_search_can_be_stopped),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
