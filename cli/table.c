#include "table.h"

#include <stdio.h>
#include <string.h>

#include "speak.h"

enum { ROWS_MAX = 160 };

/* ---- Options of the program ---- */

enum {
    L = INCO_LEARN,
    E = INCO_ENCODE,
    C = INCO_DECODE,
    I = INCO_INSPECT,
    M = INCO_COMPARE,
    F = INCO_FRAME,
    H = INCO_DECOHERE,
    P = COMMAND_REPORT,
    R = COMMAND_REPRODUCE
};

static const option own[] = {
    {.name = "dictionary",
     .letter = 'D',
     .type = INCO_TEXT,
     .metavar = "FILE",
     .group = "Dictionary",
     .commands = E | C,
     .help = "dictionary: .npy .npz .csv .tsv .mat .safetensors"},
    {.name = "data",
     .type = INCO_TEXT,
     .metavar = "FILE",
     .group = "Data",
     .commands = H | R,
     .help = "decohere: minimise the error of these signals instead of the change of the atoms: a file, a folder or a "
             "quoted pattern, as for learn; reproduce: recordings of one speaker (required)"},
    {.name = "output",
     .letter = 'o',
     .type = INCO_TEXT,
     .metavar = "FILE",
     .group = "Output",
     .commands = L | E | C | F | H | P | R,
     .help = "output file; its extension decides the format; - is standard output (reproduce: a folder)"},
    {.name = "report",
     .type = INCO_TEXT,
     .metavar = "FILE",
     .group = "Output",
     .commands = L | I | M,
     .help = "write a report with figures (.html)"},
    {.name = "test",
     .type = INCO_TEXT,
     .metavar = "IN",
     .group = "Output",
     .commands = L | I | P,
     .help = "test signals for the report, which shows their residual against the number of atoms: a file, a folder or "
             "a quoted pattern"},
    {.name = "csv",
     .type = INCO_TEXT,
     .metavar = "DIR",
     .group = "Output",
     .commands = L | I | M | P,
     .help = "write the numbers behind the figures of the report to a folder, one .csv file per figure"},
    {.name = "neighbours",
     .type = INCO_TEXT,
     .metavar = "FILE",
     .group = "Output",
     .commands = I,
     .help = "write a list of all atoms, each with the atom most similar to it and their inner product (.csv .json)"},
    {.name = "pairs",
     .type = INCO_TEXT,
     .metavar = "FILE",
     .group = "Output",
     .commands = I | M,
     .help = "inspect: write a list of the pairs of atoms that are near duplicates by option 'duplicates', most "
             "coherent first; compare: write a list of the atoms of the first dictionary, with those of the second "
             "that they are matched with and that are most similar (.csv .json)"},
    {.name = "codes",
     .type = INCO_TEXT,
     .metavar = "FILE",
     .group = "Output",
     .commands = L,
     .help = "write codes of the training signals in the final dictionary, from which decode restores the signals "
             "(.npz .mat)"},
    {.name = "log",
     .type = INCO_TEXT,
     .metavar = "FILE",
     .group = "Output",
     .commands = L,
     .help = "write a log with one line of JSON per iteration"},
    {.name = "checkpoint",
     .type = INCO_TEXT,
     .metavar = "FILE",
     .group = "Run",
     .commands = L,
     .help = "save the state after every iteration and after every point of the path of option 'gamma' = 'auto'"},
    {.name = "resume",
     .type = INCO_TEXT,
     .metavar = "FILE",
     .group = "Run",
     .commands = L,
     .help = "continue from a checkpoint, with the same data and options"},
    {.name = "force",
     .type = INCO_FLAG,
     .group = "Run",
     .commands = INCO_DECODE,
     .help = "decode even if the codes belong to another dictionary"},
    {.name = "dry-run",
     .type = INCO_FLAG,
     .group = "Run",
     .commands = L,
     .help = "print the memory and the time that the run would take, measured on a sample of the signals, and stop"},
    {.name = "quick",
     .type = INCO_FLAG,
     .group = "Run",
     .commands = R,
     .help = "small experiment that takes minutes: fewer signals, atoms and settings"},
    {.name = "seeds",
     .type = INCO_INTEGER,
     .metavar = "N",
     .default_text = "1",
     .low = 1,
     .high = 1000,
     .group = "Run",
     .commands = R,
     .help = "repeat with N seeds S, S + 1, ...; a seed determines the test recordings, the signals and the initial "
             "dictionary, the same for all methods"},
    {.name = "json",
     .type = INCO_FLAG,
     .group = "Run",
     .commands = COMMANDS_ALL,
     .help = "print the results as one JSON object on standard output"},
    {.name = "quiet",
     .letter = 'q',
     .type = INCO_FLAG,
     .group = "Run",
     .commands = COMMANDS_ALL,
     .help = "no progress and no summary; errors and warnings only"},
};

enum { OWN = sizeof own / sizeof *own };
_Static_assert((int)OWN <= (int)OWN_MAX, "a run has a place for the value of each");

/* Options of the library that commands of the program take too. `help`: another help text for these commands; NULL: the
 * library's. */
static const struct {
    const char *name;
    unsigned commands;
    const char *help;
} borrowed[] = {
    {"columns", P, NULL},
    {"variable", P, NULL},
    {"duplicates", P, NULL},
    {"threads", P | R, NULL},
    {"max-memory", P, NULL},
    {"seed", R, NULL},
    {"iterations", R, NULL},
    {"decorrelation-passes", R, NULL},
    {"atoms", L, "number of atoms (required, except that it is taken from the file of option 'init' or 'resume')"},
    {"atoms", R, "number of atoms (default 1000, 200 with option 'quick')"},
    {"signals", R, "draw N windows at random, without digital silence (default 30000, 3000 with option 'quick')"},
};
enum { BORROWED = sizeof borrowed / sizeof *borrowed };

/* ---- All options ---- */

static option rows[ROWS_MAX];
static int count;

static option from_library(const inco_option *o) {
    option row = {.name = o->name,
                  .type = o->type,
                  .metavar = o->metavar,
                  .default_text = o->default_text,
                  .choices = o->choices,
                  .group = o->group,
                  .low = o->low,
                  .high = o->high,
                  .commands = (unsigned)o->commands,
                  .help = o->help,
                  .own = -1};
    for (int i = 0; i < BORROWED; i++)
        if (!strcmp(borrowed[i].name, o->name)) row.commands |= borrowed[i].commands;
    return row;
}

/* The library's options, then those of the program. */
const option *table_at(int i) {
    inco_option o = INCO_INIT(inco_option);
    if (!count) {
        while (count < ROWS_MAX - OWN && inco_option_at(count, &o)) rows[count++] = from_library(&o);
        for (int k = 0; k < OWN; k++) {
            rows[count] = own[k];
            rows[count++].own = k;
        }
    }
    return i >= 0 && i < count ? &rows[i] : NULL;
}

const option *table_find(const char *name, size_t length) {
    const option *o;
    for (int i = 0; (o = table_at(i)); i++)
        if (strlen(o->name) == length && !strncmp(o->name, name, length)) return o;
    return NULL;
}

void table_help(const option *o, unsigned command, char *text, size_t size) {
    const char *help = o->help;
    for (int i = 0; i < BORROWED; i++)
        if (borrowed[i].help && borrowed[i].commands & command && !strcmp(borrowed[i].name, o->name))
            help = borrowed[i].help;
    snprintf(text, size, "%s", help);
    speak_options(text);
}
