/* The log of a run: a JSON object on every line. The line of an iteration is written and read by one table. */
#include <inco/inco.h>

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/sized.h"
#include "io/file.h"
#include "io/io.h"

/* ---- Text of any length for a buffer of the caller's ---- */

typedef struct target {
    char *buffer;
    size_t size, length; /* of the complete text, even if it does not fit */
} target;

static void put(target *t, char c) {
    if (t->length + 1 < t->size) t->buffer[t->length] = c;
    t->length++;
}

static void put_text(target *t, const char *text) {
    for (; *text; text++) put(t, *text);
}

static int finish(const target *t) {
    if (t->size) t->buffer[t->length < t->size ? t->length : t->size - 1] = 0;
    return (int)t->length;
}

/* ---- The line of an iteration ---- */

typedef enum log_kind { LOG_NUMBER, LOG_COUNT, LOG_ORDINAL } log_kind; /* the last: a count, left out if 0 */

typedef struct log_field {
    const char *name; /* a.b: member b of an object a; fields of one object stand together */
    log_kind kind;
    size_t offset; /* in inco_progress */
} log_field;

#define FIELD(name, kind, field)                                                                                       \
    { name, kind, offsetof(inco_progress, field) }
static const log_field fields[] = {
    FIELD("point", LOG_ORDINAL, point),
    FIELD("iteration", LOG_COUNT, iteration),
    FIELD("relative_error", LOG_NUMBER, relative_error),
    FIELD("mean_cardinality", LOG_NUMBER, mean_cardinality),
    FIELD("objective_before", LOG_NUMBER, objective_before),
    FIELD("objective", LOG_NUMBER, objective),
    FIELD("coherence.max", LOG_NUMBER, coherence_max),
    FIELD("coherence.rms", LOG_NUMBER, coherence_rms),
    FIELD("replaced", LOG_COUNT, replaced),
    FIELD("update_iterations", LOG_COUNT, update_iterations),
    FIELD("gamma", LOG_NUMBER, gamma),
    FIELD("gamma_updates", LOG_COUNT, gamma_updates),
    FIELD("spread_passes", LOG_COUNT, spread_passes),
    FIELD("spread_pairs", LOG_COUNT, spread_pairs),
    FIELD("seconds.code", LOG_NUMBER, seconds_code),
    FIELD("seconds.update", LOG_NUMBER, seconds_update),
    FIELD("seconds.total", LOG_NUMBER, seconds),
};
enum { FIELDS = sizeof fields / sizeof *fields };

static void *field_of(const inco_progress *now, const log_field *field) {
    return (char *)now + field->offset;
}

/* NaN and Inf are null. */
static void put_value(target *t, const inco_progress *now, const log_field *field) {
    char text[DECIMAL_TEXT] = "null";
    const void *value = field_of(now, field);
    if (field->kind != LOG_NUMBER)
        snprintf(text, sizeof text, "%" PRId64, *(const int64_t *)value);
    else if (isfinite(*(const double *)value))
        decimal_text(text, *(const double *)value);
    put_text(t, text);
}

/* , "name": value, inside the objects that names with a point ask for. */
static void put_fields(target *t, const inco_progress *now) {
    const char *open = NULL; /* the field before, where it stands in an object */
    for (const log_field *field = fields; field < fields + FIELDS; field++) {
        const char *name = field->name, *point = strchr(name, '.');
        const size_t length = point ? (size_t)(point - name) : 0; /* of the object's name */
        if (field->kind == LOG_ORDINAL && !*(const int64_t *)field_of(now, field)) continue;
        const int inside = open && length && !strncmp(open, name, length + 1);
        put_text(t, open && !inside ? "}, \"" : ", \"");
        if (length && !inside) {
            for (size_t i = 0; i < length; i++) put(t, name[i]);
            put_text(t, "\": {\"");
        }
        put_text(t, name + length + (length > 0));
        put_text(t, "\": ");
        put_value(t, now, field);
        open = length ? name : NULL;
    }
    if (open) put(t, '}');
}

int inco_log_line(const inco_progress *given, char *buffer, size_t size) {
    inco_progress now;
    decimal_locale locale;
    target t = {buffer, buffer ? size : 0, 0};
    if (SIZED_TAKE(inco_progress, &now, given, NULL) < 0 || decimal_enter(&locale) < 0) return -1;
    put_text(&t, "{\"event\": \"iteration\"");
    put_fields(&t, &now);
    put_text(&t, "}");
    decimal_leave(&locale);
    return finish(&t);
}

#ifdef INCO_HAVE_JSON
#include <jansson.h>

static const char kind[] = "log";

struct inco_log {
    json_t *start, *end; /* the last of each; NULL when there is none */
    inco_progress *iterations;
    int64_t count, capacity;
    int64_t *usage, atoms;
};

/* ---- Members by name ---- */

/* The member a.b.c of an object. */
static const json_t *member(const json_t *object, const char *name) {
    char key[64];
    while (object && *name) {
        const size_t length = strcspn(name, ".");
        if (length >= sizeof key) return NULL;
        memcpy(key, name, length);
        key[length] = 0;
        object = json_object_get(object, key);
        name += length + (name[length] == '.');
    }
    return object;
}

static const json_t *find(const inco_log *log, const char *name) {
    if (!handle_is(log, kind) || !name) return NULL;
    if (!strncmp(name, "start.", 6)) return member(log->start, name + 6);
    return strncmp(name, "end.", 4) ? NULL : member(log->end, name + 4);
}

static double number_in(const json_t *object, const char *name) {
    const json_t *value = member(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* NaN and values that are not counts become 0. */
static int64_t count_in(const json_t *object, const char *name) {
    const double value = number_in(object, name);
    return value >= 0 && value < 9e15 ? (int64_t)value : 0;
}

double inco_log_number(const inco_log *log, const char *name) {
    const json_t *value = find(log, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Quotes a word as for a shell. */
static void put_word(target *t, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
    const int quote = !*word || strspn(word, plain) != strlen(word);
    if (quote) put(t, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            for (const char *s = "'\\'"; *s; s++) put(t, *s);
        put(t, *word);
    }
    if (quote) put(t, '\'');
}

static void put_list(target *t, const json_t *list) {
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)list, i, item) {
        if (i) put(t, ' ');
        if (json_is_string(item)) put_word(t, json_string_value(item));
    }
}

int inco_log_text(const inco_log *log, const char *name, char *buffer, size_t size) {
    const json_t *value = find(log, name);
    target t = {buffer, buffer ? size : 0, 0};
    char digits[32] = "";
    if (!value || json_is_null(value)) return -1;
    if (json_is_real(value)) snprintf(digits, sizeof digits, "%.10g", json_real_value(value));
    if (json_is_integer(value)) snprintf(digits, sizeof digits, "%lld", (long long)json_integer_value(value));
    if (json_is_boolean(value)) strcpy(digits, json_is_true(value) ? "yes" : "no");
    const char *text = json_is_string(value) ? json_string_value(value) : digits;
    if (json_is_array(value))
        put_list(&t, value);
    else
        put_text(&t, text);
    return finish(&t);
}

/* ---- Lines ---- */

/* A resumed run may repeat iterations: the later ones count. */
static int take_iteration(inco_log *log, const json_t *line, inco_error *error) {
    inco_progress now = {.size = sizeof now, .phase = "iteration"};
    for (const log_field *field = fields; field < fields + FIELDS; field++)
        if (field->kind == LOG_NUMBER)
            *(double *)field_of(&now, field) = number_in(line, field->name);
        else
            *(int64_t *)field_of(&now, field) = count_in(line, field->name);
    for (; log->count; log->count--) {
        const inco_progress *last = &log->iterations[log->count - 1];
        if (last->point != now.point ? last->point < now.point : last->iteration < now.iteration) break;
    }
    inco_progress *more = memory_more(log->iterations, log->count, &log->capacity, sizeof *more);
    if (!more) return error_no_memory(error);
    log->iterations = more;
    log->iterations[log->count++] = now;
    return INCO_OK;
}

static int take_line(inco_log *log, json_t *line, inco_error *error) {
    const char *event = json_string_value(json_object_get(line, "event"));
    json_t **place = NULL;
    if (!event) return INCO_OK;
    if (!strcmp(event, "iteration")) return take_iteration(log, line, error);
    if (!strcmp(event, "start")) place = &log->start;
    if (!strcmp(event, "end")) place = &log->end;
    if (!place) return INCO_OK;
    json_decref(*place);
    *place = json_incref(line);
    return INCO_OK;
}

static int is_blank(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r", text[i]) || !text[i]) return 0;
    return 1;
}

static int parse(inco_log *log, const file_bytes *bytes, const char *path, inco_error *error) {
    const char *text = (const char *)bytes->data, *end = text + bytes->length;
    int status = INCO_OK;
    for (long long number = 1; status >= 0 && text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        const size_t length = (size_t)((stop ? stop : end) - text);
        json_error_t trouble;
        json_t *line = json_loadb(text, length, 0, &trouble);
        if (json_is_object(line)) /* and not NULL */
            status = take_line(log, line, error);
        else if (stop && !is_blank(text, length)) /* the last line may be truncated */
            status = error_set(error, INCO_EFORMAT, "%s: line %lld is not a JSON object: not a log of inco learn", path,
                               number);
        json_decref(line);
        text += length + 1;
    }
    return status;
}

static int take_usage(inco_log *log, inco_error *error) {
    const json_t *list = member(log->end, "usage");
    const int64_t atoms = json_is_array(list) ? (int64_t)json_array_size(list) : 0;
    if (!atoms) return INCO_OK;
    log->usage = NEW(int64_t, atoms);
    if (!log->usage) return error_no_memory(error);
    log->atoms = atoms;
    for (int64_t j = 0; j < atoms; j++) log->usage[j] = json_integer_value(json_array_get(list, (size_t)j));
    return INCO_OK;
}

/* Keeps the iterations of the dictionary that was written: those of the chosen point of a regularisation path, or of
 * the last point if the log has no end. */
static void select_point(inco_log *log) {
    const json_t *points = member(log->end, "path.points");
    int64_t chosen = log->count ? log->iterations[log->count - 1].point : 0, kept = 0;
    size_t k;
    json_t *point;
    json_array_foreach((json_t *)points, k, point) {
        if (json_is_true(json_object_get(point, "chosen"))) chosen = count_in(point, "order");
    }
    for (int64_t i = 0; i < log->count; i++)
        if (log->iterations[i].point == chosen) log->iterations[kept++] = log->iterations[i];
    log->count = kept;
}

int inco_log_load(inco_log **log, const char *path, inco_error *error) {
    file_bytes bytes = {0};
    inco_log *l = NULL;
    int status;
    TRY(NEED(log));
    *log = NULL;
    TRY(NEED(path));
    if (!(l = HANDLE(inco_log, kind))) TRY(error_no_memory(error));
    TRY(file_read(&bytes, path, limit_of(NULL), error));
    TRY(parse(l, &bytes, path, error));
    select_point(l);
    TRY(take_usage(l, error));
    if (!l->start) TRY(error_set(error, INCO_EFORMAT, "%s: no line describes a run: not a log of inco learn", path));
    *log = l;
    l = NULL;
done:
    file_release(&bytes);
    inco_log_free(l);
    return status;
}

int64_t inco_log_iterations(const inco_log *log) {
    return handle_is(log, kind) ? log->count : 0;
}

int inco_log_iteration(const inco_log *log, int64_t i, inco_progress *iteration, inco_error *error) {
    int status = handle_need(log, kind, error);
    if (status >= 0) status = SIZED_NEED(inco_progress, iteration, error);
    if (status < 0) return status;
    if (i < 0 || i >= log->count)
        return error_set(error, INCO_EINVAL, "the log has %lld iterations: there is no iteration %lld, counted from 0",
                         (long long)log->count, (long long)i);
    sized_give(iteration, &log->iterations[i], sizeof log->iterations[i]);
    return INCO_OK;
}

const int64_t *inco_log_usage(const inco_log *log, int64_t *atoms) {
    const int known = handle_is(log, kind);
    if (atoms) *atoms = known ? log->atoms : 0;
    return known ? log->usage : NULL;
}

void inco_log_free(inco_log *log) {
    if (!handle_end(log, kind)) return;
    json_decref(log->start);
    json_decref(log->end);
    memory_free(log->iterations);
    memory_free(log->usage);
    handle_free(log);
}

#else

int inco_log_load(inco_log **log, const char *path, inco_error *error) {
    if (log) *log = NULL;
    return io_need_feature(IO_JSON, path ? path : "log", error);
}

int inco_log_text(const inco_log *log, const char *name, char *buffer, size_t size) {
    (void)log, (void)name, (void)buffer, (void)size;
    return -1;
}

double inco_log_number(const inco_log *log, const char *name) {
    (void)log, (void)name;
    return NAN;
}

int64_t inco_log_iterations(const inco_log *log) {
    (void)log;
    return 0;
}

int inco_log_iteration(const inco_log *log, int64_t i, inco_progress *iteration, inco_error *error) {
    (void)log, (void)i, (void)iteration;
    return io_need_feature(IO_JSON, "log", error);
}

const int64_t *inco_log_usage(const inco_log *log, int64_t *atoms) {
    (void)log;
    if (atoms) *atoms = 0;
    return NULL;
}

void inco_log_free(inco_log *log) {
    (void)log;
}

#endif
