/* The sparse coder: a dictionary made ready for coding, and a workspace per thread. */
#ifndef INCO_CODE_CODER_H
#define INCO_CODE_CODER_H

#include <inco/inco.h>

/* What a coder has met since it was made. */
typedef struct coder_counts {
    int64_t skipped; /* dependent atoms skipped, summed over signals */
    int64_t zero_signals;
    int64_t zero_atoms;
} coder_counts;

coder_counts coder_seen(const inco_coder *coder);

/* For tests: a coder in double that does everything in double. */
void coder_without_fast(inco_coder *coder);

/* A new dictionary of the same size in the same coder. */
int coder_set_dictionary(inco_coder *coder, const inco_mat *dictionary, inco_error *error);

#endif
