#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Length of the UTF-8 character at s; 0 if it is invalid, including overlong forms, surrogates and values above
 * U+10FFFF. */
static int utf8_length(const unsigned char *s) {
    if (s[0] < 0x80) return 1;
    int length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
    if (s[0] == 0xed && s[1] > 0x9f) return 0;
    if (s[0] == 0xf0 && s[1] < 0x90) return 0;
    if (s[0] == 0xf4 && s[1] > 0x8f) return 0;
    return length;
}

static void put_character(FILE *out, const unsigned char *s, int length) {
    if (*s == '"' || *s == '\\')
        fprintf(out, "\\%c", *s);
    else if (*s == '\n')
        fputs("\\n", out);
    else if (*s == '\t')
        fputs("\\t", out);
    else if (*s < 0x20 || *s == 0x7f)
        fprintf(out, "\\u%04x", *s);
    else
        fwrite(s, 1, (size_t)length, out);
}

static void put_text(FILE *out, const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    fputc('"', out);
    while (*s) {
        int length = utf8_length(s);
        if (length)
            put_character(out, s, length);
        else
            fputs("\\ufffd", out);
        s += length ? length : 1;
    }
    fputc('"', out);
}

/* The comma before a member, and its key. */
static void begin(json *j, const char *key) {
    if (j->started) fputs(", ", j->out);
    j->started = 1;
    if (!key) return;
    put_text(j->out, key);
    fputs(": ", j->out);
}

void json_object(json *j, const char *key) {
    begin(j, key);
    fputc('{', j->out);
    j->started = 0;
}

void json_array(json *j, const char *key) {
    begin(j, key);
    fputc('[', j->out);
    j->started = 0;
}

void json_end_object(json *j) {
    fputc('}', j->out);
    j->started = 1;
}

void json_end_array(json *j) {
    fputc(']', j->out);
    j->started = 1;
}

void json_text(json *j, const char *key, const char *text) {
    if (!text) {
        json_null(j, key);
        return;
    }
    begin(j, key);
    put_text(j->out, text);
}

void json_number(json *j, const char *key, double value) {
    char digits[40];
    if (!isfinite(value)) {
        json_null(j, key);
        return;
    }
    begin(j, key);
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) break;
    }
    fputs(digits, j->out);
}

void json_integer(json *j, const char *key, int64_t value) {
    begin(j, key);
    fprintf(j->out, "%" PRId64, value);
}

void json_boolean(json *j, const char *key, int value) {
    begin(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_null(json *j, const char *key) {
    begin(j, key);
    fputs("null", j->out);
}

void json_numbers(json *j, const char *key, const double *values, int64_t count) {
    json_array(j, key);
    for (int64_t i = 0; i < count; i++) json_number(j, NULL, values[i]);
    json_end_array(j);
}

void json_integers(json *j, const char *key, const int64_t *values, int64_t count) {
    json_array(j, key);
    for (int64_t i = 0; i < count; i++) json_integer(j, NULL, values[i]);
    json_end_array(j);
}

void json_pair(json *j, const char *key, const char *first, double one, const char *second, double two) {
    json_object(j, key);
    json_number(j, first, one);
    json_number(j, second, two);
    json_end_object(j);
}
