/* The gate for sizes that come from files. A file may declare anything: before memory is taken for what it declares,
 * its reader asks limit_check whether the file can hold so much, and whether the option max-memory allows it. A test
 * lists the callers (tests/python/test_gate.py). */
#ifndef INCO_BASE_LIMIT_H
#define INCO_BASE_LIMIT_H

#include <inco/inco.h>

/* Bytes of memory that the option max-memory allows; options NULL: its default, three quarters of the machine's. */
int64_t limit_of(const inco_options *options);

/* Deflate shrinks by at most about 1032. */
enum { LIMIT_DEFLATE = 1100 };

typedef struct limit_claim {
    const char *path; /* of the file */
    const char *what; /* the items declared: "samples" */
    int64_t count;    /* their number, from limit_product if it is one */
    size_t size;      /* bytes of memory per item */
    double holds;     /* maximum number of items that the bytes of the file can encode */
    int64_t limit;    /* from limit_of */
} limit_claim;

int limit_check(const limit_claim *claim, inco_error *error);

/* The product of two numbers from a file; INT64_MAX if it overflows or one of them is negative. */
int64_t limit_product(int64_t a, int64_t b);

#endif
