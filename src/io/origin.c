#include "io/origin.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/owner.h"
#include "base/sized.h"
#include "io/io.h"

static void release(owner *o) {
    origin_arrays *arrays = o->base;
    memory_free(arrays->shape);
    memory_free(arrays->mean);
    memory_free(arrays);
}

origin_arrays *origin_new(inco_origin *origin, int64_t signals) {
    origin_arrays *arrays = NEW(origin_arrays, 1);
    *origin = (inco_origin){.size = sizeof *origin, .signals = signals};
    if (arrays) origin->owner = owner_new(release, arrays, 0);
    if (origin->owner) return arrays;
    memory_free(arrays);
    return NULL;
}

void inco_origin_free(inco_origin *origin) {
    sized_clear(origin);
}

int origin_check(const inco_origin *o, inco_error *error) {
    const int cut = o->kind == IO_AUDIO || o->kind == IO_IMAGE;
    if (o->kind == IO_MATRIX || (cut && o->files > 0 && o->files <= INT64_MAX / 64 && o->shape)) return INCO_OK;
    return error_set(error, INCO_EINVAL, "the origin of the codes is invalid");
}

/* ---- To named arrays ---- */

static void add_number(origin_table *t, const char *name, int whole, double value) {
    double *place = &t->numbers[t->count];
    *place = value;
    t->field[t->count++] = (origin_field){name, whole, 0, 1, 1, place};
}

int origin_describe(origin_table *t, const inco_origin *o, inco_error *error) {
    memset(t, 0, sizeof *t);
    if (!o || (o->kind == IO_MATRIX && !o->mean && !o->dictionary)) return INCO_OK;
    if (origin_check(o, error) < 0) return INCO_EINVAL;
    add_number(t, "origin_kind", 1, (double)o->kind);
    if (o->dictionary) add_number(t, "origin_dictionary", 1, (double)o->dictionary);
    if (o->mean) t->field[t->count++] = (origin_field){"origin_mean", 0, 1, o->signals, 1, o->mean};
    if (o->kind == IO_MATRIX) return INCO_OK;
    add_number(t, "origin_hop", 1, (double)o->hop);
    if (o->kind == IO_AUDIO) {
        add_number(t, "origin_window", 1, (double)o->window);
        add_number(t, "origin_rate", 0, o->rate);
    }
    double *shape = t->shape = NEW_RAW(double, 2 * o->files + 2);
    if (!shape) return error_no_memory(error);
    for (int64_t i = 0; i < 2 * o->files; i++) shape[i] = (double)o->shape[i];
    t->field[t->count++] = (origin_field){"origin_shape", 1, 2, o->files, 2, shape};
    if (o->kind == IO_AUDIO) return INCO_OK;
    double *patch = shape + 2 * o->files;
    patch[0] = (double)o->patch_rows;
    patch[1] = (double)o->patch_cols;
    t->field[t->count++] = (origin_field){"origin_patch", 1, 1, 2, 1, patch};
    return INCO_OK;
}

void origin_table_free(origin_table *t) {
    memory_free(t->shape);
}

/* ---- From named arrays ---- */

static int wrong_field(const origin_reader *r, const char *name, inco_error *error) {
    return error_set(error, INCO_EFORMAT, "%s: the member %s, which describes the origin of the codes, is invalid",
                     r->path, name);
}

/* A field of exactly `count` values from 0 to 1e15. */
static int get_numbers(const origin_reader *r, const char *name, int64_t count, double *out, inco_error *error) {
    double *values = NULL;
    int64_t found = 0;
    int status = r->get(r->self, name, &values, &found, error);
    if (status >= 0 && (!values || found != count)) status = wrong_field(r, name, error);
    for (int64_t i = 0; status >= 0 && i < count; i++) {
        out[i] = values[i];
        if (!(out[i] >= 0 && out[i] <= 1e15)) status = wrong_field(r, name, error);
    }
    memory_free(values);
    return status;
}

static int get_integer(const origin_reader *r, const char *name, int64_t least, int64_t *out, inco_error *error) {
    double value = 0;
    int status = get_numbers(r, name, 1, &value, error);
    if (status < 0) return status;
    if (value != floor(value) || value < (double)least) return wrong_field(r, name, error);
    *out = (int64_t)value;
    return status;
}

static int get_shape(inco_origin *o, origin_arrays *arrays, const origin_reader *r, inco_error *error) {
    double *values = NULL;
    int64_t count = 0;
    int status = r->get(r->self, "origin_shape", &values, &count, error);
    if (status >= 0 && (!values || count < 2 || count % 2)) status = wrong_field(r, "origin_shape", error);
    if (status >= 0) {
        o->files = count / 2;
        o->shape = arrays->shape = NEW_RAW(int64_t, count);
        if (!o->shape) status = error_no_memory(error);
    }
    for (int64_t i = 0; status >= 0 && i < count; i++) {
        if (!(values[i] >= 0 && values[i] <= 1e15))
            status = wrong_field(r, "origin_shape", error);
        else
            arrays->shape[i] = (int64_t)values[i];
    }
    memory_free(values);
    return status;
}

static int get_cuts(inco_origin *o, origin_arrays *arrays, const origin_reader *r, inco_error *error) {
    double patch[2];
    int status;
    TRY(get_shape(o, arrays, r, error));
    TRY(get_integer(r, "origin_hop", 1, &o->hop, error));
    if (o->kind == IO_IMAGE) {
        TRY(get_numbers(r, "origin_patch", 2, patch, error));
        if (patch[0] < 1 || patch[1] < 1) TRY(wrong_field(r, "origin_patch", error));
        o->patch_rows = (int64_t)patch[0];
        o->patch_cols = (int64_t)patch[1];
    } else {
        TRY(get_integer(r, "origin_window", 1, &o->window, error));
        TRY(get_numbers(r, "origin_rate", 1, &o->rate, error));
    }
done:
    return status;
}

/* Files of other programs, and of earlier versions, do not have it. */
static int get_dictionary(inco_origin *o, const origin_reader *r, inco_error *error) {
    double *value = NULL;
    int64_t count = 0;
    int status = r->get(r->self, "origin_dictionary", &value, &count, error);
    if (status >= 0 && value && !(count == 1 && *value >= 1 && *value <= 0x1p52))
        status = wrong_field(r, "origin_dictionary", error);
    else if (value)
        o->dictionary = (int64_t)*value;
    memory_free(value);
    return status;
}

int origin_restore(inco_origin *o, const origin_reader *r, int64_t signals, inco_error *error) {
    origin_arrays *arrays = origin_new(o, signals);
    double *kind = NULL;
    int64_t count = 0;
    int status;
    if (!arrays) TRY(error_no_memory(error));
    TRY(r->get(r->self, "origin_kind", &kind, &count, error));
    if (!kind) return INCO_OK;
    if (count != 1 || !(kind[0] == IO_MATRIX || kind[0] == IO_AUDIO || kind[0] == IO_IMAGE))
        TRY(wrong_field(r, "origin_kind", error));
    o->kind = (int64_t)kind[0];
    if (o->kind != IO_MATRIX) TRY(get_cuts(o, arrays, r, error));
    TRY(get_dictionary(o, r, error));
    TRY(r->get(r->self, "origin_mean", &arrays->mean, &count, error));
    o->mean = arrays->mean;
    if (o->mean && count != signals) TRY(wrong_field(r, "origin_mean", error));
    for (int64_t n = 0; o->mean && n < count; n++)
        if (!isfinite(o->mean[n])) TRY(wrong_field(r, "origin_mean", error));
done:
    memory_free(kind);
    if (status < 0) inco_origin_free(o);
    return status;
}
