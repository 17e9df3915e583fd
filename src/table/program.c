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
        "the dictionary: .npy .npz .csv .tsv .mat"),
    ROW("data", 0, "FILE", NULL, H | R, "Data", OPTION_TEXT, data, 0, 0,
        "decohere: weigh changes by these signals: files, a folder or a quoted pattern, as learn takes them; reproduce: "
        "recordings of one speaker (needed)"),
    ROW("output", 'o', "FILE", NULL, L | E | C | F | H | P | R, "Run", OPTION_TEXT, output, 0, 0,
        "the file to write; its name tells the format; - is standard output (reproduce: a folder)"),
    ROW("codes", 0, "FILE", NULL, L, "Run", OPTION_TEXT, codes, 0, 0,
        "also write codes, in the final dictionary, of the signals as trained on: centred, scaled (.npz .mat)"),
    ROW("log", 0, "FILE", NULL, L, "Run", OPTION_TEXT, log, 0, 0,
        "a line of JSON for every iteration"),
    ROW("report", 0, "FILE", NULL, L | I, "Run", OPTION_TEXT, report, 0, 0,
        "write a page with figures (.html)"),
    ROW("csv", 0, "DIR", NULL, L | I | P, "Run", OPTION_TEXT, csv, 0, 0,
        "write the numbers of the page's figures to a folder, a .csv each"),
    ROW("test", 0, "IN", NULL, L | I | P, "Run", OPTION_TEXT, test, 0, 0,
        "signals kept apart, for the page: a file, a folder or a quoted pattern; how their residual falls with the number "
        "of atoms"),
    ROW("checkpoint", 0, "FILE", NULL, L, "Run", OPTION_TEXT, checkpoint, 0, 0,
        "save the state after every iteration, and every point of --gamma auto"),
    ROW("resume", 0, "FILE", NULL, L, "Run", OPTION_TEXT, resume, 0, 0,
        "go on from a checkpoint, with the same data and options"),
    ROW("quick", 0, NULL, NULL, R, "Run", OPTION_FLAG, quick, 0, 0,
        "a small experiment in minutes: fewer signals, atoms and settings"),
    ROW("seeds", 0, "N", "1", R, "Run", OPTION_INTEGER, seeds, 1, 1000,
        "repeat with N seeds, S, S + 1, ...: other test recordings, signals and starts, the same for all methods"),
    ROW("json", 0, NULL, NULL, ALL, "Run", OPTION_FLAG, json, 0, 0,
        "print the results as one JSON object on standard output"),
    ROW("quiet", 'q', NULL, NULL, ALL, "Run", OPTION_FLAG, quiet, 0, 0,
        "no progress and no summary; errors and warnings only"),
    /* clang-format on */
};

const options_part program_part = {OPTIONS_PART(rows, program_options)};
