/* The parts of the option table: they do not collide, and methods name options that exist. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "learn/method.h"

/* Numbers all set, then all read: no two options share a name or a place. */
static void options_have_places_of_their_own(void **state) {
    inco_options *o = inco_options_new();
    const inco_option *option;
    (void)state;
    for (int i = 0; (option = option_at(i)); i++)
        if (inco_options_set_number(o, option->name, 16 + i, NULL) < 0)
            inco_options_set_number(o, option->name, 1 / (16.0 + i), NULL);
    for (int i = 0; (option = option_at(i)); i++) {
        const double value = inco_options_get_number(o, option->name);
        if (!isnan(value) && option->metavar) assert_true(value == 16 + i || value == 1 / (16.0 + i));
        for (int k = 0; k < i; k++) assert_string_not_equal(option->name, option_at(k)->name);
    }
    inco_options_free(o);
}

static int count_options(const char *name) {
    int count = 0;
    for (int i = 0; option_at(i); i++) count += !strcmp(option_at(i)->name, name);
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

/* Every row's part is asked to check, or has nothing to check: a stop rule, a size and a bound are missed here. */
static void every_command_checks_its_options(void **state) {
    inco_options *o = OPTIONS("coder", "omp");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_places_of_their_own),
        cmocka_unit_test(methods_take_options_that_exist),
        cmocka_unit_test(every_command_checks_its_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
