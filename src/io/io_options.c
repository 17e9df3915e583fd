#include "io/io_options.h"

static const option_row rows[] = {
    INTEGER_OPTION(io_options, hop, "hop", "H", NULL, 1, OPTION_MANY, OPTIONS_CODING | INCO_INSPECT, "Data",
                   "audio, images: take all windows or patches, H samples or pixels apart (encode: default the window "
                   "or patch)"),
    INTEGER_OPTION(io_options, signals, "signals", "N", NULL, 1, OPTION_LARGE,
                   INCO_LEARN | INCO_DECOHERE | INCO_REPRODUCE, "Data",
                   "take N signals at random: windows, patches or rows; digital silence is left out (reproduce: "
                   "default 30000, 3000 with --quick)"),
    FLAG_OPTION(io_options, columns, "columns", INCO_COMMANDS & ~INCO_REPRODUCE, "Data",
                "signals or atoms stand in the columns of the files, not in the rows (.mat: always)"),
    TEXT_OPTION(io_options, variable, "variable", "NAME", NULL,
                OPTIONS_CODING | INCO_DECODE | INCO_INSPECT | INCO_REPORT, "Data",
                "the array to read from a .npz or .mat file that holds several"),
};

const options_part io_part = {OPTIONS_PART(rows, io_options)};
