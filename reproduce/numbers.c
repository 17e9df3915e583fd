#include "numbers.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/outputs.h"

static const number_list *find(const numbers *n, const char *name) {
    for (int i = 0; i < n->lists; i++)
        if (!strcmp(n->list[i].name, name)) return &n->list[i];
    return NULL;
}

static int reserve(numbers *n) {
    if (n->count < n->capacity) return 1;
    const int capacity = n->capacity ? 2 * n->capacity : 256;
    double *at = realloc(n->at, (size_t)capacity * sizeof *at);
    if (at) n->at = at;
    double *value = at ? realloc(n->value, (size_t)capacity * sizeof *value) : NULL;
    if (value) n->value = value;
    if (value) n->capacity = capacity;
    return value != NULL;
}

void numbers_add(numbers *n, const char *name, double at, double value) {
    number_list *last = n->lists ? &n->list[n->lists - 1] : NULL;
    const int same = last && !strcmp(last->name, name);
    if (!reserve(n) || (!same && (n->lists == NUMBERS_LISTS || strlen(name) >= NUMBERS_NAME || find(n, name)))) {
        n->failed = 1;
        return;
    }
    if (!same) {
        last = &n->list[n->lists++];
        snprintf(last->name, sizeof last->name, "%s", name);
        last->first = n->count;
        last->count = 0;
    }
    n->at[n->count] = at;
    n->value[n->count++] = value;
    last->count++;
}

double numbers_at(const numbers *n, const char *name, double at) {
    const number_list *list = find(n, name);
    for (int i = 0; list && i < list->count; i++)
        if (n->at[list->first + i] == at) return n->value[list->first + i];
    return NAN;
}

int numbers_of(const numbers *n, const char *name, const double **at, const double **value) {
    const number_list *list = find(n, name);
    if (!list) return 0;
    if (at) *at = n->at + list->first;
    *value = n->value + list->first;
    return list->count;
}

/* ---- Files ---- */

static const char heading[] = "name,at,value\n";

int numbers_save(run *r, const numbers *n, const char *path) {
    size_t size = 0;
    char *text = NULL;
    FILE *out = n->failed ? NULL : open_memstream(&text, &size);
    if (!out) return run_no_memory(r);
    fputs(heading, out);
    for (int i = 0; i < n->lists; i++)
        for (int k = n->list[i].first; k < n->list[i].first + n->list[i].count; k++)
            fprintf(out, "%s,%.17g,%.17g\n", n->list[i].name, n->at[k], n->value[k]);
    int status = fclose(out) ? run_no_memory(r) : outputs_write(r, path, text, size);
    free(text);
    return status;
}

int numbers_load(run *r, numbers *n, const char *path) {
    char line[256], name[NUMBERS_NAME];
    double at, value;
    int good, used;
    FILE *in = fopen(path, "r");
    if (!in) return run_fail(r, INCO_EIO, "cannot open '%s': %s", path, strerror(errno));
    good = fgets(line, sizeof line, in) && !strcmp(line, heading);
    while (good && fgets(line, sizeof line, in)) {
        used = 0;
        good = sscanf(line, "%31[^,],%lf,%lf%n", name, &at, &value, &used) == 3 && line[used] == '\n';
        if (good) numbers_add(n, name, at, value);
    }
    fclose(in);
    if (!good || n->failed || !n->count)
        return run_fail(r, INCO_EFORMAT, "'%s' does not have the results of a run: delete it to compute them again",
                        path);
    return INCO_OK;
}

void numbers_free(numbers *n) {
    free(n->at);
    free(n->value);
    *n = (numbers){.count = 0};
}
