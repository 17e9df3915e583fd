/* A small JSON writer: one value on one line, commas and escapes taken care of. */
#ifndef INCO_CLI_JSON_H
#define INCO_CLI_JSON_H

#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *out;
    int started; /* has the object or array under way a member already? */
} json;

/* Opens and closes objects and arrays. `key` is NULL for members of an array and for the outermost value. */
void json_object(json *j, const char *key);
void json_array(json *j, const char *key);
void json_end_object(json *j);
void json_end_array(json *j);

/* Members. Text need not be UTF-8: what is not becomes U+FFFD. NULL text, NaN and Inf become null. A number has the
 * fewest digits that give it back exactly. */
void json_text(json *j, const char *key, const char *text);
void json_number(json *j, const char *key, double value);
void json_integer(json *j, const char *key, int64_t value);
void json_boolean(json *j, const char *key, int value);
void json_null(json *j, const char *key);

#endif
