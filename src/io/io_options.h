/* The options of reading files. */
#ifndef INCO_IO_IO_OPTIONS_H
#define INCO_IO_IO_OPTIONS_H

#include "base/options.h"

typedef struct io_options {
    int64_t hop, signals, columns;
    char *variable, *weights, *mask;
} io_options;
OPTIONS_DECLARE(io)

#endif
