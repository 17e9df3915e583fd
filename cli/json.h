/* A small JSON writer: one value on one line, with commas and escapes. */
#ifndef INCO_CLI_JSON_H
#define INCO_CLI_JSON_H

#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *out;
    int started; /* whether the current object or array has a member */
} json;

/* Opens and closes objects and arrays. `key` is NULL for members of an array and for the outermost value. */
void json_object(json *j, const char *key);
void json_array(json *j, const char *key);
void json_end_object(json *j);
void json_end_array(json *j);

/* Members. Invalid UTF-8 becomes U+FFFD. NULL text, NaN and Inf become null. A number has the fewest digits that give
 * it back exactly. */
void json_text(json *j, const char *key, const char *text);
void json_number(json *j, const char *key, double value);
void json_integer(json *j, const char *key, int64_t value);
void json_boolean(json *j, const char *key, int value);
/* An array. */
void json_numbers(json *j, const char *key, const double *values, int64_t count);
void json_integers(json *j, const char *key, const int64_t *values, int64_t count);
/* An object of two numbers. */
void json_pair(json *j, const char *key, const char *first, double one, const char *second, double two);
void json_null(json *j, const char *key);

#endif
