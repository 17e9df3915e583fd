#define _GNU_SOURCE
#include "io/csv.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/decimal.h"
#include "io/file.h"

/* ---- Reading ---- */

typedef struct span {
    const char *start, *end;
} span;

typedef struct table {
    const char *name;
    int64_t line;          /* from 1, as editors count */
    int64_t rows, columns; /* columns: -1 before the first row */
    double *values;
    int64_t used, capacity;
    char separator;
    int64_t limit;
} table;

static int blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static span trim(span s) {
    while (s.start < s.end && blank(*s.start)) s.start++;
    while (s.start < s.end && blank(s.end[-1])) s.end--;
    return s;
}

/* Returns the next field of a line, and advances the line; 0 at the end. `more`: a separator came last, so that another
 * field follows even at the end of the line. */
static int next_field(span *line, char separator, int *more, span *field) {
    if (separator == ' ') {
        *line = trim(*line);
        if (line->start == line->end) return 0;
        field->start = line->start;
        while (line->start < line->end && !blank(*line->start)) line->start++;
        field->end = line->start;
        return 1;
    }
    if (line->start == line->end && !*more) return 0;
    const char *stop = memchr(line->start, separator, (size_t)(line->end - line->start));
    *more = stop != NULL;
    *field = trim((span){line->start, stop ? stop : line->end});
    line->start = stop ? stop + 1 : line->end;
    return 1;
}

static int to_number(span field, double *value) {
    char text[128], *end;
    size_t length = (size_t)(field.end - field.start);
    if (length > 2 && field.start[0] == '"' && field.end[-1] == '"') {
        field.start++;
        length -= 2;
    }
    if (!length || length >= sizeof text) return 0;
    memcpy(text, field.start, length);
    text[length] = 0;
    *value = strtod(text, &end);
    return end == text + length;
}

static int no_number(const table *t, int64_t column, span field, inco_error *error) {
    char shown[33];
    size_t length = (size_t)(field.end - field.start), used = 0;
    for (; used < length && used + 1 < sizeof shown; used++)
        shown[used] = (char)(isprint((unsigned char)field.start[used]) ? field.start[used] : '?');
    shown[used] = 0;
    return error_set(error, INCO_EFORMAT, "%s: %s%s%s at row %lld, column %lld (counted from 0; line %lld of the file)",
                     t->name, length ? "'" : "an empty field instead of a number", shown,
                     length ? "' is not a number" : "", (long long)t->rows, (long long)column, (long long)t->line);
}

static int push(table *t, double value, inco_error *error) {
    if (t->used == t->capacity) {
        int64_t capacity = t->capacity ? 2 * t->capacity : 4096;
        int status =
            limit_check(&(limit_claim){t->name, "numbers", capacity, sizeof(double), INFINITY, t->limit}, error);
        if (status < 0) return status;
        double *larger = memory_grow(t->values, t->used, capacity, sizeof *larger);
        if (!larger) return error_no_memory(error);
        t->values = larger;
        t->capacity = capacity;
    }
    t->values[t->used++] = value;
    return INCO_OK;
}

static int add_row(table *t, span line, inco_error *error) {
    int64_t column = 0;
    int more = 0, status;
    span field;
    double value;
    for (; next_field(&line, t->separator, &more, &field); column++) {
        if (!to_number(field, &value)) return no_number(t, column, field, error);
        if ((status = push(t, value, error)) < 0) return status;
    }
    if (t->columns < 0) t->columns = column;
    if (column != t->columns)
        return error_set(
            error, INCO_EFORMAT,
            "%s: row %lld (counted from 0; line %lld of the file) has %lld numbers, the rows before have %lld", t->name,
            (long long)t->rows, (long long)t->line, (long long)column, (long long)t->columns);
    t->rows++;
    return INCO_OK;
}

/* Returns whether the line is a header: none of its fields is a number. */
static int is_header(const table *t, span line) {
    int more = 0;
    span field;
    double value;
    while (next_field(&line, t->separator, &more, &field))
        if (to_number(field, &value)) return 0;
    return 1;
}

static char choose_separator(span line, const char *separators) {
    for (; *separators && *separators != ' '; separators++)
        if (memchr(line.start, *separators, (size_t)(line.end - line.start))) return *separators;
    return ' ';
}

static int parse_lines(table *t, const char *at, const char *end, const char *separators, inco_error *error) {
    int status = INCO_OK;
    if (end - at >= 3 && !memcmp(at, "\xEF\xBB\xBF", 3)) at += 3; /* a byte order mark */
    while (status >= 0 && at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        span line = {at, stop ? stop : end}, text = trim(line);
        at = stop ? stop + 1 : end;
        t->line++;
        if (text.start == text.end || *text.start == '#') continue;
        if (line.end > line.start && line.end[-1] == '\r') line.end--;
        if (!t->separator) {
            t->separator = choose_separator(line, separators);
            if (is_header(t, line)) continue;
        }
        status = add_row(t, line, error);
    }
    if (status >= 0 && !t->used) return error_set(error, INCO_EFORMAT, "%s holds no numbers", t->name);
    return status;
}

int csv_parse(const char *text, size_t length, const char *name, const csv_how *how, inco_mat *m, inco_error *error) {
    table t = {.name = name, .columns = -1, .limit = how->limit};
    decimal_locale locale;
    *m = (inco_mat){0};
    int status = decimal_enter(&locale);
    if (status < 0) return error_no_memory(error);
    TRY(parse_lines(&t, text, text + length, how->separators, error));
    TRY(mat_new_raw(m, INCO_F64, t.columns, t.rows, error));
    memcpy(m->data, t.values, (size_t)t.used * sizeof *t.values);
done:
    decimal_leave(&locale);
    memory_free(t.values);
    return status;
}

static int is_tsv(const char *path) {
    const size_t length = strlen(path);
    return length >= 4 && !strcasecmp(path + length - 4, ".tsv");
}

int csv_load(const char *path, const io_how *how, io_array *out, inco_error *error) {
    file_bytes file;
    inco_mat rows = {0};
    int status = file_read(&file, path, how->limit, error);
    if (status < 0) return status;
    out->columns = how->columns;
    const csv_how own = {is_tsv(path) ? "\t,; " : ",\t; ", how->limit};
    TRY(csv_parse((const char *)file.data, file.length, path, &own, &rows, error));
    if (!how->columns) {
        out->m = rows;
        rows = (inco_mat){0};
    } else {
        TRY(mat_transpose(&out->m, &rows, error));
    }
done:
    inco_mat_free(&rows);
    file_release(&file);
    return status;
}

/* ---- Writing ---- */

/* Writes as many digits as needed to read the same number back. */
int csv_save(output *out, const io_array *array, const io_how *how, inco_error *error) {
    const inco_mat *m = &array->m;
    const int64_t lines = how->columns ? m->rows : m->cols, fields = how->columns ? m->cols : m->rows;
    const char separator = is_tsv(out->name) ? '\t' : ',';
    decimal_locale locale;
    char text[40];
    int status = decimal_enter(&locale), failed = 0;
    if (status < 0) return error_no_memory(error);
    for (int64_t a = 0; !failed && a < lines; a++)
        for (int64_t b = 0; !failed && b < fields; b++) {
            double value = how->columns ? mat_get(m, a, b) : mat_get(m, b, a);
            int length = snprintf(text, sizeof text, m->type == INCO_F32 ? "%.9g%c" : "%.17g%c", value,
                                  b + 1 < fields ? separator : '\n');
            failed = output_write(out, text, (size_t)length);
        }
    decimal_leave(&locale);
    return failed ? INCO_EIO : INCO_OK;
}
