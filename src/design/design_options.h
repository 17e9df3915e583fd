/* Options shared by learning and design. */
#ifndef INCO_DESIGN_DESIGN_OPTIONS_H
#define INCO_DESIGN_DESIGN_OPTIONS_H

#include "base/options.h"

typedef struct design_options {
    int64_t atoms;
    double stop_seconds;
} design_options;
OPTIONS_DECLARE(design)

#endif
