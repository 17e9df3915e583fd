/* Options that only the program uses. */
#include "base/options.h"

typedef struct program_options {
    char *dictionary, *data, *output, *codes, *log, *report, *csv, *test, *checkpoint, *resume;
    int64_t quick, seeds, json, quiet;
} program_options;
OPTIONS_DECLARE(program)

enum {
    L = INCO_LEARN | INCO_PROGRAM_ONLY,
    E = INCO_ENCODE | INCO_PROGRAM_ONLY,
    C = INCO_DECODE | INCO_PROGRAM_ONLY,
    I = INCO_INSPECT | INCO_PROGRAM_ONLY,
    F = INCO_FRAME | INCO_PROGRAM_ONLY,
    H = INCO_DECOHERE | INCO_PROGRAM_ONLY,
    P = INCO_REPORT | INCO_PROGRAM_ONLY,
    R = INCO_REPRODUCE | INCO_PROGRAM_ONLY,
    ALL = INCO_COMMANDS | INCO_PROGRAM_ONLY
};
#define ROW(name, letter, metavar, fallback, commands, group, kind, field, low, high, help)                            \
    {                                                                                                                  \
        {sizeof(inco_option), name, letter, metavar, fallback, NULL, commands, group, help}, kind,                     \
            offsetof(program_options, field), low, high                                                                \
    }

static const option_row rows[] = {
    /* clang-format off */
    ROW("dictionary", 'D', "FILE", NULL, E | C, "Dictionary", OPTION_TEXT, dictionary, 0, 0,
        "dictionary: .npy .npz .csv .tsv .mat"),
    ROW("data", 0, "FILE", NULL, H | R, "Data", OPTION_TEXT, data, 0, 0,
        "decohere: minimise the error of these signals instead of the change of the atoms: a file, a folder or a "
        "quoted pattern, as for learn; reproduce: recordings of one speaker (required)"),
    ROW("output", 'o', "FILE", NULL, L | E | C | F | H | P | R, "Run", OPTION_TEXT, output, 0, 0,
        "output file; its extension decides the format; - is standard output (reproduce: a folder)"),
    ROW("codes", 0, "FILE", NULL, L, "Run", OPTION_TEXT, codes, 0, 0,
        "write codes of the training signals, centred and normalised as for learning, in the final dictionary (.npz "
        ".mat)"),
    ROW("log", 0, "FILE", NULL, L, "Run", OPTION_TEXT, log, 0, 0,
        "write a log with one line of JSON per iteration"),
    ROW("report", 0, "FILE", NULL, L | I, "Run", OPTION_TEXT, report, 0, 0,
        "write a report with figures (.html)"),
    ROW("csv", 0, "DIR", NULL, L | I | P, "Run", OPTION_TEXT, csv, 0, 0,
        "write the numbers behind the figures of the report to a folder, one .csv file per figure"),
    ROW("test", 0, "IN", NULL, L | I | P, "Run", OPTION_TEXT, test, 0, 0,
        "test signals for the report, which shows their residual against the number of atoms: a file, a folder or a "
        "quoted pattern"),
    ROW("checkpoint", 0, "FILE", NULL, L, "Run", OPTION_TEXT, checkpoint, 0, 0,
        "save the state after every iteration and after every point of the path of --gamma auto"),
    ROW("resume", 0, "FILE", NULL, L, "Run", OPTION_TEXT, resume, 0, 0,
        "continue from a checkpoint, with the same data and options"),
    ROW("quick", 0, NULL, NULL, R, "Run", OPTION_FLAG, quick, 0, 0,
        "small experiment that takes minutes: fewer signals, atoms and settings"),
    ROW("seeds", 0, "N", "1", R, "Run", OPTION_INTEGER, seeds, 1, 1000,
        "repeat with N seeds S, S + 1, ...; a seed determines the test recordings, the signals and the initial "
        "dictionary, the same for all methods"),
    ROW("json", 0, NULL, NULL, ALL, "Run", OPTION_FLAG, json, 0, 0,
        "print the results as one JSON object on standard output"),
    ROW("quiet", 'q', NULL, NULL, ALL, "Run", OPTION_FLAG, quiet, 0, 0,
        "no progress and no summary; errors and warnings only"),
    /* clang-format on */
};

const options_part program_part = {OPTIONS_PART(rows, program_options)};
