#include "values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the option if it is the program's own, else NULL. */
static const option *own_option(const char *name) {
    const option *o = table_find(name, strlen(name));
    return o && o->own >= 0 ? o : NULL;
}

static int check_own(run *r, const option *o, const char *text) {
    char *end;
    if (!*text) return run_fail(r, INCO_EINVAL, "option '%s' is empty", o->name);
    if (o->type == INCO_FLAG && strcmp(text, "yes") && strcmp(text, "no"))
        return run_fail(r, INCO_EINVAL, "option '%s' is yes or no, not '%s'", o->name, text);
    if (o->type != INCO_INTEGER) return INCO_OK;
    const double number = strtod(text, &end);
    if (end == text || *end) return run_fail(r, INCO_EINVAL, "option '%s' takes a number, not '%s'", o->name, text);
    if (!(number >= o->low && number <= o->high) || number != floor(number))
        return run_fail(r, INCO_EINVAL, "option '%s' must be a whole number from %g to %g, not %s", o->name, o->low,
                        o->high, text);
    return INCO_OK;
}

int values_set(run *r, const option *o, const char *text) {
    if (o->own < 0) return inco_options_set(r->options, o->name, text, &r->error);
    int status = check_own(r, o, text);
    if (status < 0) return status;
    char *copy = strdup(text);
    if (!copy) return run_no_memory(r);
    free(r->own[o->own]);
    r->own[o->own] = copy;
    return INCO_OK;
}

/* Text of an option of the program; NULL: not set. */
static const char *own_text(const run *r, const option *o) {
    if (r->own[o->own]) return r->own[o->own];
    return o->type == INCO_FLAG ? "no" : o->default_text;
}

int values_get(const run *r, const char *name, char *buffer, size_t size) {
    const option *o = own_option(name);
    if (!o) return inco_options_get(r->options, name, buffer, size);
    const char *text = own_text(r, o);
    return snprintf(buffer, size, "%s", text ? text : "");
}

double values_number(const run *r, const char *name) {
    const option *o = own_option(name);
    if (!o) return inco_options_get_number(r->options, name);
    if (o->type == INCO_FLAG) return !strcmp(own_text(r, o), "yes");
    return o->type == INCO_INTEGER ? strtod(own_text(r, o), NULL) : NAN;
}

int values_given(const run *r, const char *name) {
    const option *o = own_option(name);
    return o ? r->own[o->own] != NULL : inco_options_given(r->options, name);
}

void values_free(run *r) {
    for (int i = 0; i < OWN_MAX; i++) {
        free(r->own[i]);
        r->own[i] = NULL;
    }
}
