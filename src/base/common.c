#include "base/common.h"

#include "base/parallel.h"

static const option_row rows[] = {
    INTEGER_OPTION(
        common_options, dim, "dim", "D", NULL, 1, OPTION_MANY, OPTIONS_CODING | INCO_INSPECT | INCO_FRAME, "Data",
        "values per signal or atom of raw float32 numbers, from standard input, a pipe or a .f32 file (frame: "
        "dimension of the atoms, required)"),
    INTEGER_OPTION(common_options, window, "window", "W", NULL, 1, OPTION_MANY, OPTIONS_CODING | INCO_INSPECT, "Data",
                   "audio: samples per signal"),
    REAL_OPTION(common_options, rate, "rate", "HZ", NULL, 1, 1e9, OPTIONS_CODING | INCO_INSPECT | INCO_COMPARE, "Data",
                "audio: resample to HZ (inspect, compare: also the sampling rate of the atoms, for the report)"),
    SIZE_OPTION(common_options, patch, "patch", "RxC", OPTIONS_CODING | INCO_INSPECT | INCO_COMPARE, "Data",
                "images: rows and columns of a patch, such as 8x8 (matrices: the shape of each signal or atom, for "
                "option 'init' = 'dct' and the report)"),
    CHOICE_OPTION(common_options, missing, "missing", "NAME", "refuse", "refuse|nan",
                  INCO_LEARN | INCO_ENCODE | INCO_INSPECT, "Data",
                  "NaN in signals: refuse: an error; nan: a missing entry. Only the observed entries count, in codes "
                  "and errors"),
    CHOICE_OPTION(common_options, precision, "precision", "TYPE", NULL, "f32|f64", OPTIONS_CODING | INCO_FRAME, "Run",
                  "precision of the computation and of the output (default: that of the input; audio and images f32; "
                  "frame: f64)"),
    INTEGER_OPTION(common_options, seed, "seed", "S", "0", 0, OPTION_LARGE, INCO_LEARN | INCO_FRAME | INCO_DECOHERE,
                   "Run", "random seed"),
    INTEGER_OPTION(common_options, threads, "threads", "N", "0", 0, 4096, INCO_COMMANDS & ~INCO_DECODE, "Run",
                   "number of threads (0: all available processors); the result does not depend on it"),
    INTEGER_OPTION(
        common_options, max_memory, "max-memory", "MB", NULL, 1, OPTION_LARGE, INCO_COMMANDS & ~INCO_FRAME, "Run",
        "use at most MB megabytes of memory, as far as it can be foreseen: refuse files and runs that need more "
        "(default: three quarters of the machine's)"),
};

const options_part common_part = {OPTIONS_PART(rows, common_options)};

inco_type common_precision(const inco_options *options, inco_type otherwise) {
    const int64_t precision = common_options_of(options)->precision;
    if (precision == OPTION_UNSET) return otherwise;
    return precision == PRECISION_F32 ? INCO_F32 : INCO_F64;
}

int common_threads(const inco_options *options) {
    return parallel_threads(common_options_of(options)->threads);
}

uint64_t common_seed(const inco_options *options) {
    return (uint64_t)common_options_of(options)->seed;
}
