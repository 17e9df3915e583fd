/* The parts of the option table: no collisions, and methods name existing options. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "learn/method.h"

/* Sets all numbers, then reads them: no two options share a name or a value. */
static void options_have_places_of_their_own(void **state) {
    inco_options *o = inco_options_new();
    const inco_option *option;
    (void)state;
    for (int i = 0; (option = options_at(i)); i++)
        if (inco_options_set_number(o, option->name, 16 + i, NULL) < 0)
            inco_options_set_number(o, option->name, 1 / (16.0 + i), NULL);
    for (int i = 0; (option = options_at(i)); i++) {
        const double value = inco_options_get_number(o, option->name);
        if (!isnan(value) && option->metavar) assert_true(value == 16 + i || value == 1 / (16.0 + i));
        for (int k = 0; k < i; k++) assert_string_not_equal(option->name, options_at(k)->name);
    }
    inco_options_free(o);
}

static int count_options(const char *name) {
    int count = 0;
    for (int i = 0; options_at(i); i++) count += !strcmp(options_at(i)->name, name);
    return count;
}

static void methods_take_options_that_exist(void **state) {
    const method *m;
    int methods = 0;
    (void)state;
    for (; (m = method_at(methods)); methods++) {
        char words[128], *rest = words, *word;
        snprintf(words, sizeof words, "%s", m->takes ? m->takes : "");
        while ((word = strtok_r(rest, "|", &rest))) assert_int_equal(count_options(word), 1);
        inco_options *o = OPTIONS("method", m->name);
        assert_ptr_equal(method_of(o), m);
        inco_options_free(o);
    }
    assert_true(methods >= 11);
}

/* Every command checks its options: a missing stopping rule, size and bound are refused. */
static void every_command_checks_its_options(void **state) {
    inco_options *o = OPTIONS("coder", "lars");
    inco_error error;
    (void)state;
    assert_int_equal(inco_options_check(o, INCO_ENCODE, &error), INCO_EINVAL);
    assert_int_equal(inco_options_check(o, INCO_LEARN, &error), INCO_EINVAL);
    assert_int_equal(inco_options_check(o, INCO_FRAME, &error), INCO_EINVAL);
    assert_int_equal(inco_options_check(o, INCO_DECOHERE, &error), INCO_EINVAL);
    assert_int_equal(inco_options_set(o, "sparsity", "3", &error), INCO_OK);
    assert_int_equal(inco_options_check(o, INCO_ENCODE, &error), INCO_OK);
    assert_int_equal(inco_options_check(o, INCO_LEARN, &error), INCO_OK);
    assert_int_equal(inco_options_check(o, INCO_DECOHERE, &error), INCO_EINVAL);
    assert_int_equal(inco_options_set(o, "max-coherence", "0.5", &error), INCO_OK);
    assert_int_equal(inco_options_check(o, INCO_DECOHERE, &error), INCO_OK);
    inco_options_free(o);
}

/* The library has no option that only the program uses, and its texts do not name options as on a command line. */
static void there_is_no_command_line(void **state) {
    static const char *const of_the_program[] = {"dictionary", "data",  "output", "codes",     "log",
                                                 "report",     "csv",   "test",   "resume",    "quick",
                                                 "seeds",      "quiet", "json",   "checkpoint"};
    inco_options *o = inco_options_new();
    inco_option option = INCO_INIT(inco_option);
    (void)state;
    for (size_t i = 0; i < sizeof of_the_program / sizeof *of_the_program; i++) {
        assert_int_equal(inco_options_set(o, of_the_program[i], "x", NULL), INCO_EINVAL);
        assert_int_equal(inco_options_get(o, of_the_program[i], NULL, 0), -1);
        assert_int_equal(count_options(of_the_program[i]), 0);
    }
    for (int i = 0; inco_option_at(i, &option); i++) {
        assert_null(strstr(option.help, "--"));
        assert_true(option.commands > 0 && option.commands <= INCO_COMMANDS);
    }
    inco_options_free(o);
}

/* An option accepts the type and range that the table states. */
static void rows_tell_types_and_ranges(void **state) {
    inco_options *o = inco_options_new();
    inco_option r = INCO_INIT(inco_option);
    (void)state;
    for (int i = 0; inco_option_at(i, &r); i++) {
        const int is_number = r.type == INCO_INTEGER || r.type == INCO_REAL;
        assert_int_equal(inco_options_set_number(o, r.name, r.low, NULL), is_number ? INCO_OK : INCO_EINVAL);
        if (is_number) assert_int_equal(inco_options_set_number(o, r.name, r.high, NULL), INCO_OK);
        if (is_number)
            assert_int_equal(inco_options_set_number(o, r.name, nextafter(r.low, -INFINITY), NULL), INCO_EINVAL);
        if (r.type == INCO_INTEGER) assert_int_equal(inco_options_set(o, r.name, "2.5", NULL), INCO_EINVAL);
        if (r.default_text) assert_int_equal(inco_options_set(o, r.name, r.default_text, NULL), INCO_OK);
        if (r.type == INCO_FLAG) assert_int_equal(inco_options_set(o, r.name, "yes", NULL), INCO_OK);
        if (r.type == INCO_SIZE) assert_int_equal(inco_options_set(o, r.name, "8x8", NULL), INCO_OK);
        assert_int_equal(r.metavar == NULL, r.type == INCO_FLAG);
        char first[64] = "";
        if (r.choices) snprintf(first, sizeof first, "%.*s", (int)strcspn(r.choices, "|"), r.choices);
        if (r.choices) assert_int_equal(inco_options_set(o, r.name, first, NULL), INCO_OK);
    }
    inco_options_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_no_command_line),         cmocka_unit_test(rows_tell_types_and_ranges),
        cmocka_unit_test(options_have_places_of_their_own), cmocka_unit_test(methods_take_options_that_exist),
        cmocka_unit_test(every_command_checks_its_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
