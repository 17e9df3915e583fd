/* Text that grows. A failure is kept, so that a page is written without a check at every word: look at `failed` once,
 * at the end. */
#ifndef INCO_REPORT_WRITER_H
#define INCO_REPORT_WRITER_H

#include <stddef.h>

typedef struct writer {
    char *text; /* ends with a zero byte; NULL while empty */
    size_t used, room;
    int failed; /* no memory: what was written since is lost */
} writer;

void writer_bytes(writer *w, const char *bytes, size_t count);
void writer_put(writer *w, const char *text);
/* At most 400 bytes at a time. */
void writer_format(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text from outside, in HTML and its attributes: markup characters escaped, what is no UTF-8 as U+FFFD, control
 * characters as spaces. NULL is empty. */
void writer_escaped(writer *w, const char *text);
/* A cell of a CSV file, quoted where it must be. */
void writer_cell(writer *w, const char *text);

/* The fewest digits that give the value back; nothing for NaN. */
void writer_exact(writer *w, double value);
/* A coordinate with at most one digit behind the point. */
void writer_place(writer *w, double value);

void writer_free(writer *w);

#endif
