/* The fingerprint of all signals of a source, gathered while they are read for other purposes. */
#ifndef INCO_DATA_PRINT_H
#define INCO_DATA_PRINT_H

#include <inco/inco.h>

typedef struct data_print data_print;

data_print *print_new(const inco_source *signals); /* `signals` must outlive it; NULL: out of memory */
void print_free(data_print *p);

/* Notes that signals first .. first + count - 1 were read. Several threads may call it at once, and signals may be read
 * again. */
void print_note(data_print *p, int64_t first, int64_t count, const void *signals);
/* Returns the fingerprint; reads the signals that were not noted. */
int print_total(data_print *p, uint64_t *total, inco_error *error);

#endif
