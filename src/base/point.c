#define _GNU_SOURCE
#include "base/point.h"

#include "base/error.h"

int point_enter(point_locale *state) {
    state->point = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!state->point) return INCO_ENOMEM;
    state->before = uselocale(state->point);
    return INCO_OK;
}

void point_leave(point_locale *state) {
    uselocale(state->before);
    freelocale(state->point);
}
