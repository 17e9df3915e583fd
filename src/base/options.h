/* The engine of the option table: parsing, ranges, defaults, messages. Options are declared where they are used, in
 * parts: rows (name, range, default, help) and a struct with their values. src/table/parts.c lists the parts. */
#ifndef INCO_BASE_OPTIONS_H
#define INCO_BASE_OPTIONS_H

#include <inco/inco.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "base/cluster.h"
#include "base/watcher.h"

/* Values are int64_t for flags, integers and choices (the index of the word among the choices), double for reals,
 * int64_t[2] for sizes such as 8x8, and char * for text. */
typedef enum option_kind {
    OPTION_FLAG,
    OPTION_INTEGER,
    OPTION_REAL,
    OPTION_REAL_OR_AUTO,
    OPTION_CHOICE,
    OPTION_TEXT,
    OPTION_SIZE
} option_kind;

typedef struct option_row {
    inco_option public; /* except its type, which follows from the kind */
    option_kind kind;
    size_t offset; /* of the value, in the part's struct */
} option_row;

/* Values without a default are NaN (reals) or OPTION_UNSET (integers and choices) until they are set. */
#define OPTION_UNSET INT64_MIN
/* A real that was set to the word auto. */
#define OPTION_AUTO (-INFINITY)

#define OPTION_MANY 2147483647.0        /* a count that fits an int */
#define OPTION_LARGE 9007199254740992.0 /* 2^53: all integers up to here are doubles */

/* Each defines one row; `type` is the part's struct. */
#define OPTION_ROW(name, metavar, fallback, choices, commands, group, kind, type, field, low, high, help)              \
    {                                                                                                                  \
        {sizeof(inco_option), name, 0, fallback, low, high, choices, commands, metavar, group, help}, kind,            \
            offsetof(type, field)                                                                                      \
    }
#define FLAG_OPTION(type, field, name, commands, group, help)                                                          \
    OPTION_ROW(name, NULL, NULL, NULL, commands, group, OPTION_FLAG, type, field, 0, 0, help)
#define INTEGER_OPTION(type, field, name, metavar, fallback, low, high, commands, group, help)                         \
    OPTION_ROW(name, metavar, fallback, NULL, commands, group, OPTION_INTEGER, type, field, low, high, help)
#define REAL_OPTION(type, field, name, metavar, fallback, low, high, commands, group, help)                            \
    OPTION_ROW(name, metavar, fallback, NULL, commands, group, OPTION_REAL, type, field, low, high, help)
#define REAL_OR_AUTO_OPTION(type, field, name, metavar, fallback, low, high, commands, group, help)                    \
    OPTION_ROW(name, metavar, fallback, "auto", commands, group, OPTION_REAL_OR_AUTO, type, field, low, high, help)
#define CHOICE_OPTION(type, field, name, metavar, fallback, choices, commands, group, help)                            \
    OPTION_ROW(name, metavar, fallback, choices, commands, group, OPTION_CHOICE, type, field, 0, 0, help)
#define TEXT_OPTION(type, field, name, metavar, fallback, commands, group, help)                                       \
    OPTION_ROW(name, metavar, fallback, NULL, commands, group, OPTION_TEXT, type, field, 0, 0, help)
#define SIZE_OPTION(type, field, name, metavar, commands, group, help)                                                 \
    OPTION_ROW(name, metavar, NULL, NULL, commands, group, OPTION_SIZE, type, field, 0, 0, help)

/* Commands that code signals. */
enum { OPTIONS_CODING = INCO_LEARN | INCO_ENCODE | INCO_DECOHERE };

typedef struct options_part {
    const option_row *rows;
    int count;
    size_t size; /* of the struct of values */
    /* Refuses invalid combinations, for these commands; NULL: nothing to check. */
    unsigned commands;
    int (*check)(const inco_options *options, inco_error *error);
} options_part;

#define OPTIONS_PART(rows, type) .rows = (rows), .count = sizeof(rows) / sizeof *(rows), .size = sizeof(type)

/* Returns part i, NULL after the last. Defined in src/table/parts.c. */
const options_part *options_part_at(int i);

/* Returns the part's struct; NULL if the part is not listed. */
const void *options_read(const inco_options *options, const options_part *part);
void *options_edit(inco_options *options, const options_part *part);

/* Declares name_part, and name_options_of, which returns the name_options of an inco_options. */
#define OPTIONS_DECLARE(name)                                                                                          \
    extern const options_part name##_part;                                                                             \
    __attribute__((unused)) static inline const name##_options *name##_options_of(const inco_options *options) {       \
        return options_read(options, &name##_part);                                                                    \
    }

/* Row i of all parts, in their order; NULL after the last. */
const inco_option *options_at(int i);
/* The value of row i, as inco_options_get writes it. */
int options_text(const inco_options *options, int i, char *buffer, size_t size);

/* The progress callback, set by inco_options_on_progress. */
const watcher *options_watcher(const inco_options *options);

/* Makes *own the cluster set by inco_options_cluster, and returns it; NULL: one process. */
cluster *options_cluster(const inco_options *options, cluster *own);

/* Returns whether `word` is one of a|b|c. */
int options_is_among(const char *word, const char *words);

/* Fails if more than one of the options a|b|c is given. `same` says what they have in common: "do the same". */
int options_check_one(const inco_options *options, const char *names, const char *same, inco_error *error);

#endif
