#include "design/design_options.h"

static const option_row rows[] = {
    INTEGER_OPTION(design_options, atoms, "atoms", "L", NULL, 1, OPTION_MANY, INCO_LEARN | INCO_FRAME | INCO_REPRODUCE,
                   "Dictionary",
                   "number of atoms (required, except that learn takes it from the file of --init or --resume; "
                   "reproduce: default 1000, 200 with --quick)"),
    REAL_OPTION(design_options, stop_seconds, "stop-seconds", "S", "0", 0, DBL_MAX, INCO_LEARN | INCO_FRAME,
                "Dictionary",
                "stop after the iteration in which S seconds have passed (0: never); the time to enforce "
                "--max-coherence on the result is extra"),
};

const options_part design_part = {OPTIONS_PART(rows, design_options)};
