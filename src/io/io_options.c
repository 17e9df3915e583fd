#include "io/io_options.h"

static const option_row rows[] = {
    INTEGER_OPTION(io_options, signals, "signals", "N", NULL, 1, OPTION_LARGE, INCO_LEARN | INCO_DECOHERE, "Data",
                   "draw N windows, patches or rows at random, without digital silence"),
    INTEGER_OPTION(io_options, hop, "hop", "H", NULL, 1, OPTION_MANY, OPTIONS_CODING | INCO_INSPECT, "Data",
                   "audio, images: take all windows or patches, H samples or pixels apart (encode: default is the "
                   "window or patch size)"),
    FLAG_OPTION(io_options, columns, "columns", INCO_COMMANDS, "Data",
                "signals or atoms are the columns of the files, not the rows (.mat: always)"),
    TEXT_OPTION(io_options, variable, "variable", "NAME", NULL,
                OPTIONS_CODING | INCO_DECODE | INCO_INSPECT | INCO_COMPARE, "Data",
                "array to read from a .npz, .mat or .safetensors file that holds several"),
    TEXT_OPTION(io_options, weights, "weights", "FILE", NULL, INCO_LEARN | INCO_DECOHERE, "Data",
                "matrices: a nonnegative weight per signal, in their order; a signal of weight 2 counts as two, one of "
                "weight 0 as absent (Python: sample_weight)"),
    TEXT_OPTION(
        io_options, mask, "mask", "FILE", NULL, INCO_LEARN | INCO_ENCODE, "Data",
        "matrices: a matrix of the shape of the data, 0 where an entry is missing, nonzero where it is observed "
        "(Python: missing); its value does not matter then"),
};

const options_part io_part = {OPTIONS_PART(rows, io_options)};
