/* Results of one run, by name: single values and lists, in memory and as a .csv file of lines name,at,value. */
#ifndef INCO_REPRODUCE_NUMBERS_H
#define INCO_REPRODUCE_NUMBERS_H

#include "cli/run.h"

enum { NUMBERS_NAME = 32, NUMBERS_LISTS = 64 };

typedef struct number_list {
    char name[NUMBERS_NAME];
    int first, count;
} number_list;

typedef struct numbers {
    number_list list[NUMBERS_LISTS];
    int lists;
    double *at, *value; /* of all lists, one after the other */
    int count, capacity;
    int failed; /* out of memory, or too many names */
} numbers;

/* Adds a value at a position of a list; the values of a list are added consecutively. Single values are at 0. */
void numbers_add(numbers *n, const char *name, double at, double value);

/* The value of `name` at a position; NaN if there is none. */
double numbers_at(const numbers *n, const char *name, double at);
/* The whole list: returns its length, 0 if there is none. `at` may be NULL. */
int numbers_of(const numbers *n, const char *name, const double **at, const double **value);

/* Numbers are written with all digits, the file atomically. */
int numbers_save(run *r, const numbers *n, const char *path);
int numbers_load(run *r, numbers *n, const char *path);

void numbers_free(numbers *n);

#endif
