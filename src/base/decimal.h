/* Numbers as text, with a decimal point in any locale. */
#ifndef INCO_BASE_DECIMAL_H
#define INCO_BASE_DECIMAL_H

#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

typedef struct decimal_locale {
    locale_t point, before;
} decimal_locale;

/* Until decimal_leave, this thread reads and writes numbers with a decimal point. Returns 0 or INCO_ENOMEM. */
int decimal_enter(decimal_locale *state);
void decimal_leave(decimal_locale *state);

/* Writes the shortest text that gives the number back; between decimal_enter and decimal_leave. */
enum { DECIMAL_TEXT = 32 };
void decimal_text(char text[DECIMAL_TEXT], double value);

#endif
