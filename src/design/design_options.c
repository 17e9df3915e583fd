#include "design/design_options.h"

static const option_row rows[] = {
    INTEGER_OPTION(design_options, atoms, "atoms", "L", NULL, 1, OPTION_MANY, INCO_LEARN | INCO_FRAME, "Dictionary",
                   "number of atoms (required, except that learn takes it from the file of option 'init')"),
    REAL_OPTION(design_options, stop_seconds, "stop-seconds", "S", "0", 0, DBL_MAX, INCO_LEARN | INCO_FRAME, "Run",
                "stop after the iteration in which S seconds have passed (0: never); the time to enforce option "
                "'max-coherence' on the result is extra"),
};

const options_part design_part = {OPTIONS_PART(rows, design_options)};
