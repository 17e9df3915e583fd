/* The fingerprint of all signals of a source, gathered while they are read for other purposes. */
#ifndef INCO_DATA_PRINT_H
#define INCO_DATA_PRINT_H

#include "base/cluster.h"

typedef struct data_print data_print;

/* `signals` and the ranks `by`, which share the reading, must outlive it; NULL: out of memory. */
data_print *print_new(const inco_source *signals, cluster *by);
void print_free(data_print *p);

/* Notes that signals first .. first + count - 1 were read. Several threads may call it at once, and signals may be read
 * again. */
void print_note(data_print *p, int64_t first, int64_t count, const void *signals);
/* The fingerprint, on rank 0; reads the signals that were not noted. All ranks call it. */
int print_total(data_print *p, uint64_t *total, inco_error *error);

#endif
