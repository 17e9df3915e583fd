/* Options that several rooms read: threads, seed, precision, and what a signal is. */
#ifndef INCO_BASE_COMMON_H
#define INCO_BASE_COMMON_H

#include "base/options.h"

enum { PRECISION_F32, PRECISION_F64 };

typedef struct common_options {
    int64_t threads, seed, precision;
    int64_t window;
    double rate;
    int64_t patch[2]; /* rows and columns; 0 when not given */
} common_options;
OPTIONS_DECLARE(common)

/* The precision asked for, or `otherwise` when none was. */
inco_type common_precision(const inco_options *options, inco_type otherwise);

/* The threads to use, all that the process may where none were asked for. */
int common_threads(const inco_options *options);

uint64_t common_seed(const inco_options *options);

#endif
