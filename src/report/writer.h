/* A growing string. A failure is kept, so that a report is written without a check per word: check `failed` once, at
 * the end. */
#ifndef INCO_REPORT_WRITER_H
#define INCO_REPORT_WRITER_H

#include <stddef.h>

typedef struct writer {
    char *text; /* ends with a zero byte; NULL while empty */
    size_t used, capacity;
    int failed; /* out of memory: later text is lost */
} writer;

void writer_bytes(writer *w, const char *bytes, size_t count);
void writer_put(writer *w, const char *text);
/* At most 400 bytes at a time. */
void writer_format(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text for HTML and attributes: markup is escaped, invalid UTF-8 becomes U+FFFD, control characters become spaces. NULL
 * is empty. */
void writer_escaped(writer *w, const char *text);
/* A cell of a CSV file, quoted if necessary. */
void writer_cell(writer *w, const char *text);

/* The fewest digits that give the value back; empty for NaN. */
void writer_exact(writer *w, double value);
/* A coordinate with at most one decimal digit. */
void writer_place(writer *w, double value);

void writer_free(writer *w);

#endif
