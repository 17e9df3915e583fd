#include "lists.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json.h"
#include "outputs.h"
#include "results.h"

static int is_none(const list_column *column, int64_t row) {
    return column->indices ? column->indices[row] < 0 : column->numbers && column->numbers[row] != column->numbers[row];
}

static void write_value(json *j, const list_column *column, int64_t row) {
    if (is_none(column, row))
        json_null(j, NULL);
    else if (column->numbers)
        json_number(j, NULL, column->numbers[row]);
    else
        json_integer(j, NULL, column->indices ? column->indices[row] : row);
}

static void write_json(FILE *out, const run *r, const list_column *columns, int count, int64_t rows) {
    json j = {.out = out};
    json_object(&j, NULL);
    results_identity(&j, r);
    for (int i = 0; i < count; i++) {
        json_array(&j, columns[i].name);
        for (int64_t row = 0; row < rows; row++) write_value(&j, &columns[i], row);
        json_end_array(&j);
    }
    json_end_object(&j);
    fputc('\n', out);
}

static void write_csv(FILE *out, const list_column *columns, int count, int64_t rows) {
    for (int i = 0; i < count; i++) fprintf(out, "%s%s", i ? "," : "", columns[i].name);
    fputc('\n', out);
    for (int64_t row = 0; row < rows; row++)
        for (int i = 0; i < count; i++) {
            json one = {.out = out};
            if (!is_none(&columns[i], row)) write_value(&one, &columns[i], row);
            fputc(i + 1 < count ? ',' : '\n', out);
        }
}

int lists_write(run *r, const char *path, const list_column *columns, int count, int64_t rows) {
    const char *ending = strrchr(path, '.');
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return run_no_memory(r);
    if (ending && !strcasecmp(ending, ".json"))
        write_json(out, r, columns, count, rows);
    else
        write_csv(out, columns, count, rows);
    const int failed = ferror(out);
    int status = fclose(out) || failed ? run_no_memory(r) : outputs_write(r, path, text, size);
    free(text);
    if (status >= 0 && !outputs_is_standard(path)) run_say(r, "wrote %s", path);
    return status;
}
