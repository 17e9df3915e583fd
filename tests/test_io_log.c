/* The log of a run: the line of an iteration is read back as written. */
#include "test_io.h"

#include <locale.h>
#include <math.h>

/* Every field of an iteration in the log, each with its own value; phase, iterations, done, total, point and points
 * describe a run in progress and are not logged. */
static const inco_progress full = {.size = sizeof full,
                                   .phase = "iteration",
                                   .iteration = 3,
                                   .seconds = 0.1,
                                   .relative_error = 1.0 / 3,
                                   .mean_cardinality = 25.75,
                                   .objective_before = 1e300,
                                   .objective = 4.9406564584124654e-324,
                                   .coherence_max = 0.999999999999999889,
                                   .coherence_rms = 2.2250738585072014e-308,
                                   .replaced = 7,
                                   .update_iterations = 15,
                                   .seconds_code = 1234567.125,
                                   .seconds_update = 2e-9,
                                   .spread_passes = 9,
                                   .spread_pairs = 8999999999999999,
                                   .gamma = 0.30000000000000004,
                                   .gamma_updates = 5};

static void write_log(const inco_progress *iterations, int count) {
    char text[8192] = "{\"event\": \"start\"}\n";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(text);
        int length = inco_log_line(&iterations[i], text + used, sizeof text - used);
        assert_true(length > 0 && used + (size_t)length + 1 < sizeof text);
        strcat(text, "\n");
    }
    write_text("run.jsonl", text);
}

static inco_progress read_back(int64_t i, int64_t count) {
    char path[128];
    inco_log *log;
    inco_progress now = INCO_INIT(inco_progress);
    snprintf(path, sizeof path, "%s/run.jsonl", test_folder);
    assert_works(inco_log_load(&log, path, &error));
    assert_int_equal(inco_log_iterations(log), count);
    assert_works(inco_log_iteration(log, i, &now, &error));
    inco_log_free(log);
    return now;
}

static void every_field_is_read_back(void **state) {
    (void)state;
    if (inco_has("json") != 1) skip();
    write_log(&full, 1);
    inco_progress now = read_back(0, 1);
    assert_string_equal(now.phase, full.phase);
    now.phase = full.phase;
    assert_memory_equal(&now, &full, sizeof full); /* there is no padding: fields of 8 bytes */
}

static void what_is_not_a_number_is_null(void **state) {
    (void)state;
    inco_progress bad[2] = {full, full};
    bad[0].gamma = INFINITY;
    bad[1].iteration = 4;
    bad[1].objective = NAN;
    if (inco_has("json") != 1) skip();
    write_log(bad, 2);
    assert_true(isnan(read_back(0, 2).gamma));
    assert_true(isnan(read_back(1, 2).objective));
    assert_int_equal(read_back(1, 2).spread_pairs, full.spread_pairs);
}

static void a_line_is_json(void **state) {
    (void)state;
    char line[1024], cut[20];
    inco_progress plain = {.size = sizeof plain, .iteration = 1, .coherence_max = 0.5, .seconds = 2};
    const char expected[] =
        "{\"event\": \"iteration\", \"iteration\": 1, \"relative_error\": 0, \"mean_cardinality\": 0, "
        "\"objective_before\": 0, \"objective\": 0, \"coherence\": {\"max\": 0.5, \"rms\": 0}, \"replaced\": 0, "
        "\"update_iterations\": 0, \"gamma\": 0, \"gamma_updates\": 0, \"spread_passes\": 0, \"spread_pairs\": 0, "
        "\"seconds\": {\"code\": 0, \"update\": 0, \"total\": 2}}";
    assert_int_equal(inco_log_line(&plain, line, sizeof line), sizeof expected - 1);
    assert_string_equal(line, expected);
    assert_int_equal(inco_log_line(&plain, NULL, 0), sizeof expected - 1);
    assert_int_equal(inco_log_line(&plain, cut, sizeof cut), sizeof expected - 1);
    assert_memory_equal(cut, expected, sizeof cut - 1);
    assert_int_equal(cut[sizeof cut - 1], 0);
    assert_int_equal(inco_log_line(NULL, line, sizeof line), -1);
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) { /* if installed */
        inco_log_line(&plain, line, sizeof line);
        setlocale(LC_NUMERIC, "C");
        assert_string_equal(line, expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_field_is_read_back, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(what_is_not_a_number_is_null, test_setup, test_teardown),
        cmocka_unit_test(a_line_is_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
