/* A list of facts for a report, with its own strings. */
#ifndef INCO_CLI_FACTS_H
#define INCO_CLI_FACTS_H

#include "run.h"

enum { FACTS_MAX = 16 };

/* As taken by inco_report_facts. */
typedef struct facts {
    const char *names[FACTS_MAX];
    char *values[FACTS_MAX], *notes[FACTS_MAX];
    char kinds[FACTS_MAX];
    int count;
    int failed; /* out of memory */
} facts;

/* Adds a fact; an empty value is omitted. */
void facts_add(facts *f, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Sets the last fact in monospace. */
void facts_code(facts *f);
/* Adds small print to the last fact. */
void facts_note(facts *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Threads, kernels, and the name and version of the BLAS. */
void facts_machine(facts *f, int threads, const char *isa, const char *blas);
/* The command line of this run, quoted for a shell. */
void facts_command_line(facts *f, const run *r);
/* Words joined by spaces. To be freed; NULL: out of memory. */
char *facts_join(const char *const *words, int count);
void facts_free(facts *f);

#endif
