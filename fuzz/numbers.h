/* Inputs of the numerical targets: bytes read as choices and as the entries of small matrices. */
#ifndef INCO_FUZZ_NUMBERS_H
#define INCO_FUZZ_NUMBERS_H

#include <inco/inco.h>

#include <stdint.h>

enum { NUMBERS_MAX = 64 }; /* columns of a matrix */

typedef struct numbers {
    const uint8_t *at;
    size_t left;
    int form; /* of entries: one byte; a byte and an exponent; all bits of a double */
} numbers;

numbers numbers_from(const uint8_t *bytes, size_t count);
/* A choice from 0 to bound - 1, of one byte; after the end of the input 0. */
int64_t numbers_below(numbers *n, int bound);
inco_mat numbers_matrix(numbers *n, int type, int64_t rows, int64_t cols);

#endif
