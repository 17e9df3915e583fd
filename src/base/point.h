/* Numbers in text have a decimal point, whatever the program's locale says. */
#ifndef INCO_BASE_POINT_H
#define INCO_BASE_POINT_H

#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

typedef struct point_locale {
    locale_t point, before;
} point_locale;

/* From here to point_leave this thread reads and writes numbers with a point. INCO_ENOMEM, or 0. */
int point_enter(point_locale *state);
void point_leave(point_locale *state);

#endif
