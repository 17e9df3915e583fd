#define _GNU_SOURCE
#include "base/decimal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

int decimal_enter(decimal_locale *state) {
    state->point = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!state->point) return INCO_ENOMEM;
    state->before = uselocale(state->point);
    return INCO_OK;
}

void decimal_leave(decimal_locale *state) {
    uselocale(state->before);
    freelocale(state->point);
}

/* A double holds any decimal of 15 digits, and 17 digits tell any double; %g leaves out zeros at the end. */
void decimal_text(char text[DECIMAL_TEXT], double value) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, DECIMAL_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
}
