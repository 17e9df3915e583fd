/* Options shared by several rooms: threads, seed, precision, and the shape of a signal. */
#ifndef INCO_BASE_COMMON_H
#define INCO_BASE_COMMON_H

#include "base/options.h"

enum { PRECISION_F32, PRECISION_F64 };
enum { MISSING_REFUSE, MISSING_NAN };

typedef struct common_options {
    int64_t threads, seed, precision;
    int64_t max_memory; /* megabytes; see base/limit.h */
    int64_t dim;        /* of a frame, or of signals without a header */
    int64_t window;
    double rate;
    int64_t patch[2]; /* rows and columns; 0 if not given */
    int64_t missing;  /* MISSING_...: what NaN in signals is */
} common_options;
OPTIONS_DECLARE(common)

/* Returns the precision set, or `otherwise` if none is. */
inco_type common_precision(const inco_options *options, inco_type otherwise);

/* Returns the number of threads set, or all available processors. */
int common_threads(const inco_options *options);

uint64_t common_seed(const inco_options *options);

#endif
