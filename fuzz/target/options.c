/* Option strings: lines of name=value. A value that was accepted is printed, read back, and printed the same. */
#include <stdlib.h>
#include <string.h>

#include "../fuzz.h"

static void round_trip(const inco_options *options, const char *name) {
    const int length = inco_options_get(options, name, NULL, 0);
    PROMISE(length >= 0);
    char *first = malloc((size_t)length + 1), *second = malloc((size_t)length + 1);
    inco_options *copy = inco_options_copy(options);
    PROMISE(first && second && copy && inco_options_get(options, name, first, (size_t)length + 1) == length);
    PROMISE(inco_options_set(copy, name, first, NULL) == 0 && inco_options_given(copy, name) == 1);
    PROMISE(inco_options_get(copy, name, second, (size_t)length + 1) == length && !strcmp(first, second));
    (void)inco_options_get_number(copy, name);
    inco_options_free(copy);
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    inco_options *options = inco_options_new();
    char *text = malloc(count + 1);
    PROMISE(options && text);
    if (count) memcpy(text, bytes, count);
    text[count] = 0;
    for (char *line = text, *next; line; line = next) {
        inco_error error = {0};
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        char *value = strchr(line, '=');
        if (!value) continue;
        *value++ = 0;
        const int status = inco_options_set(options, line, value, &error);
        if (status < 0)
            PROMISE(error.code == status && *error.message && memchr(error.message, 0, sizeof error.message));
        if (status == 0) {
            fuzz_accepted++;
            round_trip(options, line);
        }
        char *end;
        const double number = strtod(value, &end);
        if (!*end) inco_options_set_number(options, line, number, NULL);
    }
    for (unsigned command = 1; command < INCO_COMMANDS; command *= 2) inco_options_check(options, command, NULL);
    inco_options_free(options);
    free(text);
    return 0;
}
