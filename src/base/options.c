#include "base/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/handle.h"
#include "base/memory.h"
#include "base/decimal.h"
#include "base/sized.h"

static const char kind[] = "options";

struct inco_options {
    watcher watch;                            /* progress callback; not an option */
    inco_cluster shared;                      /* ranks that share the work, not an option either; 0 ranks: none */
    unsigned char *given;                     /* per row, in the order of the parts; stored after the values */
    _Alignas(int64_t) unsigned char values[]; /* structs of the parts, one after the other */
};

/* ---- Rows ---- */

/* A row, its number among all rows, and the offset of its part's struct in the values. */
typedef struct place {
    const option_row *row;
    int number;
    size_t base;
} place;

/* Sizes of structs are rounded up to the alignment of int64_t. */
static size_t padded(size_t size) {
    return (size + _Alignof(int64_t) - 1) / _Alignof(int64_t) * _Alignof(int64_t);
}

/* Iterates over the rows of all parts: {0} is before the first; next_row returns 0 after the last. */
typedef struct walk {
    const options_part *part;
    int parts, row; /* parts begun; rows of the current part passed */
    place at;
} walk;

static int next_row(walk *w) {
    w->at.number = w->at.row ? w->at.number + 1 : 0;
    while (!w->part || w->row == w->part->count) {
        if (w->part) w->at.base += padded(w->part->size);
        if (!(w->part = options_part_at(w->parts++))) return 0;
        w->row = 0;
    }
    w->at.row = &w->part->rows[w->row++];
    return 1;
}

static int find(const char *name, place *found) {
    walk w = {0};
    while (name && next_row(&w)) {
        if (strcmp(w.at.row->public.name, name)) continue;
        *found = w.at;
        return 1;
    }
    return 0;
}

/* Finds a row by name; fails if there is none, or if the handle is invalid. */
static int need(const inco_options *o, const char *name, place *found, inco_error *error) {
    int status;
    TRY(handle_need(o, kind, error));
    TRY(NEED(name));
    if (!find(name, found)) TRY(error_set(error, INCO_EINVAL, "unknown option '%s'", name));
done:
    return status;
}

/* Finds row i of all parts; returns 0 after the last. */
static int place_at(int i, place *found) {
    const options_part *part;
    *found = (place){.number = i};
    for (int k = 0; i >= 0 && (part = options_part_at(k)); i -= part->count, k++) {
        found->row = i < part->count ? &part->rows[i] : NULL;
        if (found->row) return 1;
        found->base += padded(part->size);
    }
    return 0;
}

const inco_option *options_at(int i) {
    place p;
    return place_at(i, &p) ? &p.row->public : NULL;
}

int inco_option_at(int i, inco_option *option) {
    static const inco_option_type types[] = {
        [OPTION_FLAG] = INCO_FLAG,     [OPTION_INTEGER] = INCO_INTEGER,   [OPTION_REAL] = INCO_REAL,
        [OPTION_CHOICE] = INCO_CHOICE, [OPTION_REAL_OR_AUTO] = INCO_REAL, [OPTION_TEXT] = INCO_TEXT,
        [OPTION_SIZE] = INCO_SIZE};
    place p;
    if (!place_at(i, &p) || SIZED_NEED(inco_option, option, NULL) < 0) return 0;
    inco_option own = p.row->public;
    own.type = types[p.row->kind];
    sized_give(option, &own, sizeof own);
    return 1;
}

static void *value_at(const inco_options *o, const place *p) {
    return (unsigned char *)o->values + p->base + p->row->offset;
}
static int64_t *integer_at(const inco_options *o, const place *p) {
    return value_at(o, p);
}
static double *real_at(const inco_options *o, const place *p) {
    return value_at(o, p);
}
static char **text_at(const inco_options *o, const place *p) {
    return value_at(o, p);
}

static int is_real(const option_row *r) {
    return r->kind == OPTION_REAL || r->kind == OPTION_REAL_OR_AUTO;
}

/* ---- Setting ---- */

static int set_number(inco_options *o, const place *p, double value, inco_error *error) {
    const option_row *r = p->row;
    const char *name = r->public.name;
    const double low = r->public.low, high = r->public.high;
    if (!(value >= low && value <= high)) {
        if (high >= OPTION_MANY)
            return error_set(error, INCO_EINVAL, "option '%s' must be %g or more, not %g", name, low, value);
        return error_set(error, INCO_EINVAL, "option '%s' must be from %g to %g, not %g", name, low, high, value);
    }
    if (is_real(r)) {
        *real_at(o, p) = value;
    } else if (value != floor(value)) {
        return error_set(error, INCO_EINVAL, "option '%s' takes a whole number, not %g", name, value);
    } else {
        *integer_at(o, p) = (int64_t)value;
    }
    return INCO_OK;
}

static int set_number_text(inco_options *o, const place *p, const char *text, inco_error *error) {
    const int word = p->row->kind == OPTION_REAL_OR_AUTO;
    decimal_locale locale;
    char *end;
    if (word && !strcmp(text, "auto")) {
        *real_at(o, p) = OPTION_AUTO;
        return INCO_OK;
    }
    if (decimal_enter(&locale) < 0) return error_no_memory(error);
    double value = strtod(text, &end);
    decimal_leave(&locale);
    if (end == text || *end || !isfinite(value))
        return error_set(error, INCO_EINVAL, "option '%s' takes a number%s, not '%s'", p->row->public.name,
                         word ? " or auto" : "", text);
    return set_number(o, p, value, error);
}

static int set_choice(inco_options *o, const place *p, const char *text, inco_error *error) {
    const inco_option *option = &p->row->public;
    const size_t length = strlen(text);
    int64_t number = 0;
    for (const char *word = option->choices; *word; number++) {
        size_t n = strcspn(word, "|");
        if (n == length && !strncmp(word, text, n)) {
            *integer_at(o, p) = number;
            return INCO_OK;
        }
        word += n + (word[n] == '|');
    }
    return error_set(error, INCO_EINVAL, "option '%s' must be one of %s, not '%s'", option->name, option->choices,
                     text);
}

static int set_flag(inco_options *o, const place *p, const char *text, inco_error *error) {
    int yes = !strcmp(text, "yes");
    if (!yes && strcmp(text, "no"))
        return error_set(error, INCO_EINVAL, "option '%s' is yes or no, not '%s'", p->row->public.name, text);
    *integer_at(o, p) = yes;
    return INCO_OK;
}

static int set_size(inco_options *o, const place *p, const char *text, inco_error *error) {
    long rows, cols;
    int used = 0;
    if (sscanf(text, "%ldx%ld%n", &rows, &cols, &used) != 2 || text[used] || rows < 1 || cols < 1 || rows > 4096 ||
        cols > 4096)
        return error_set(error, INCO_EINVAL, "option '%s' takes rows and columns, such as 8x8, not '%s'",
                         p->row->public.name, text);
    integer_at(o, p)[0] = rows;
    integer_at(o, p)[1] = cols;
    return INCO_OK;
}

static int set_text(inco_options *o, const place *p, const char *text, inco_error *error) {
    if (!*text) return error_set(error, INCO_EINVAL, "option '%s' is empty", p->row->public.name);
    char *copy = memory_text(text);
    if (!copy) return error_no_memory(error);
    memory_free(*text_at(o, p));
    *text_at(o, p) = copy;
    return INCO_OK;
}

static int set_row(inco_options *o, const place *p, const char *text, inco_error *error) {
    switch (p->row->kind) {
    case OPTION_FLAG:
        return set_flag(o, p, text, error);
    case OPTION_CHOICE:
        return set_choice(o, p, text, error);
    case OPTION_TEXT:
        return set_text(o, p, text, error);
    case OPTION_SIZE:
        return set_size(o, p, text, error);
    default:
        return set_number_text(o, p, text, error);
    }
}

int inco_options_set(inco_options *o, const char *name, const char *value, inco_error *error) {
    place p = {0};
    int status = need(o, name, &p, error);
    if (status >= 0 && !value) status = error_set(error, INCO_EINVAL, "the value for option '%s' is NULL", name);
    if (status >= 0) status = set_row(o, &p, value, error);
    if (status >= 0) o->given[p.number] = 1;
    return status;
}

int inco_options_set_number(inco_options *o, const char *name, double value, inco_error *error) {
    place p = {0};
    int status = need(o, name, &p, error);
    if (status >= 0 && p.row->kind != OPTION_INTEGER && !is_real(p.row))
        status = error_set(error, INCO_EINVAL, "option '%s' does not take a number", name);
    if (status >= 0) status = set_number(o, &p, value, error);
    if (status >= 0) o->given[p.number] = 1;
    return status;
}

/* ---- Creating ---- */

/* Allocates the values of all parts and the flags of options given; *values: their size in bytes. */
static inco_options *new_block(size_t *values) {
    walk w = {0};
    while (next_row(&w)) continue;
    inco_options *o = handle_new(kind, sizeof *o + w.at.base + (size_t)w.at.number);
    if (o) o->given = o->values + w.at.base;
    *values = w.at.base + (size_t)w.at.number;
    return o;
}

/* Options without a default are unset. */
inco_options *inco_options_new(void) {
    size_t values;
    inco_options *o = new_block(&values);
    walk w = {0};
    while (o && next_row(&w)) {
        const option_row *r = w.at.row;
        if (!r->public.default_text) {
            if (is_real(r)) *real_at(o, &w.at) = NAN;
            if (r->kind == OPTION_INTEGER || r->kind == OPTION_CHOICE) *integer_at(o, &w.at) = OPTION_UNSET;
        } else if (set_row(o, &w.at, r->public.default_text, NULL) < 0) {
            inco_options_free(o);
            o = NULL;
        }
    }
    return o;
}

inco_options *inco_options_copy(const inco_options *from) {
    size_t values;
    inco_options *o = handle_is(from, kind) ? new_block(&values) : NULL;
    walk w = {0};
    int complete = 1;
    if (!o) return NULL;
    o->watch = from->watch;
    o->shared = from->shared;
    memcpy(o->values, from->values, values);
    while (next_row(&w)) {
        if (w.at.row->kind != OPTION_TEXT || !*text_at(from, &w.at)) continue;
        *text_at(o, &w.at) = memory_text(*text_at(from, &w.at));
        complete = complete && *text_at(o, &w.at);
    }
    if (complete) return o;
    inco_options_free(o);
    return NULL;
}

void inco_options_free(inco_options *o) {
    walk w = {0};
    if (!handle_end(o, kind)) return;
    while (next_row(&w))
        if (w.at.row->kind == OPTION_TEXT) memory_free(*text_at(o, &w.at));
    handle_free(o);
}

/* ---- Reading ---- */

void *options_edit(inco_options *o, const options_part *part) {
    const options_part *listed;
    size_t base = 0;
    for (int i = 0; (listed = options_part_at(i)) && listed != part; i++) base += padded(listed->size);
    return listed ? o->values + base : NULL;
}

const void *options_read(const inco_options *o, const options_part *part) {
    return options_edit((inco_options *)o, part);
}

static int write_choice(const option_row *r, int64_t number, char *buffer, size_t size) {
    const char *word = r->public.choices;
    for (; number > 0; number--) word += strcspn(word, "|") + 1;
    return snprintf(buffer, size, "%.*s", (int)strcspn(word, "|"), word);
}

static int write_real(double value, char *buffer, size_t size) {
    char text[DECIMAL_TEXT];
    decimal_locale locale;
    if (value == OPTION_AUTO) return snprintf(buffer, size, "%s", "auto");
    if (isnan(value)) return snprintf(buffer, size, "%s", "");
    if (decimal_enter(&locale) < 0) return -1;
    decimal_text(text, value);
    decimal_leave(&locale);
    return snprintf(buffer, size, "%s", text);
}

static int write_value(const inco_options *o, const place *p, char *buffer, size_t size) {
    if (!buffer) size = 0;
    if (is_real(p->row)) return write_real(*real_at(o, p), buffer, size);
    if (p->row->kind == OPTION_TEXT) return snprintf(buffer, size, "%s", *text_at(o, p) ? *text_at(o, p) : "");
    const int64_t *values = integer_at(o, p), integer = *values;
    if (p->row->kind == OPTION_SIZE && integer)
        return snprintf(buffer, size, "%lldx%lld", (long long)values[0], (long long)values[1]);
    if (p->row->kind == OPTION_FLAG) return snprintf(buffer, size, "%s", integer ? "yes" : "no");
    if (p->row->kind == OPTION_SIZE || integer == OPTION_UNSET) return snprintf(buffer, size, "%s", "");
    if (p->row->kind == OPTION_CHOICE) return write_choice(p->row, integer, buffer, size);
    return snprintf(buffer, size, "%lld", (long long)integer);
}

int inco_options_get(const inco_options *o, const char *name, char *buffer, size_t size) {
    place p;
    return handle_is(o, kind) && find(name, &p) ? write_value(o, &p, buffer, size) : -1;
}

int options_text(const inco_options *o, int i, char *buffer, size_t size) {
    place p;
    return place_at(i, &p) ? write_value(o, &p, buffer, size) : -1;
}

double inco_options_get_number(const inco_options *o, const char *name) {
    place p;
    if (!handle_is(o, kind) || !find(name, &p)) return NAN;
    if (is_real(p.row)) return *real_at(o, &p) == OPTION_AUTO ? NAN : *real_at(o, &p);
    if (p.row->kind != OPTION_INTEGER && p.row->kind != OPTION_FLAG) return NAN;
    return *integer_at(o, &p) == OPTION_UNSET ? NAN : (double)*integer_at(o, &p);
}

int inco_options_given(const inco_options *o, const char *name) {
    place p;
    return handle_is(o, kind) && find(name, &p) ? o->given[p.number] : 0;
}

/* ---- Progress ---- */

const watcher *options_watcher(const inco_options *o) {
    return &o->watch;
}

int inco_options_on_progress(inco_options *o, inco_progress_fn callback, void *self, size_t size, inco_error *error) {
    int status = handle_need(o, kind, error);
    if (status >= 0) status = sized_check(&size, "inco_progress", error);
    if (status >= 0) o->watch = (watcher){callback, self, size};
    return status;
}

/* ---- Clusters ---- */

cluster *options_cluster(const inco_options *o, cluster *own) {
    *own = (cluster){.by = o->shared};
    return own->by.ranks ? own : NULL;
}

int inco_options_cluster(inco_options *o, const inco_cluster *given, inco_error *error) {
    inco_cluster shared = {0};
    int status = handle_need(o, kind, error);
    if (status >= 0 && given) status = cluster_take(&shared, given, error);
    if (status >= 0) o->shared = shared;
    return status;
}

/* ---- Combinations ---- */

int options_is_among(const char *word, const char *words) {
    const size_t length = strlen(word);
    for (size_t n; *words; words += n + (words[n] == '|')) {
        n = strcspn(words, "|");
        if (n == length && !strncmp(words, word, n)) return 1;
    }
    return 0;
}

int options_check_one(const inco_options *o, const char *names, const char *same, inco_error *error) {
    const inco_option *option, *given = NULL;
    for (int i = 0; (option = options_at(i)); i++) {
        if (!options_is_among(option->name, names) || !inco_options_given(o, option->name)) continue;
        if (given)
            return error_set(error, INCO_EINVAL, "options '%s' and '%s' %s: give one of them", given->name,
                             option->name, same);
        given = option;
    }
    return INCO_OK;
}

int inco_options_check(const inco_options *o, unsigned command, inco_error *error) {
    const options_part *part;
    int status = handle_need(o, kind, error);
    for (int i = 0; status >= 0 && (part = options_part_at(i)); i++)
        if (part->check && part->commands & command) status = part->check(o, error);
    return status;
}
