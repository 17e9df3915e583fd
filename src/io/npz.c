#ifdef INCO_HAVE_NPZ
#include "io/npz.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/archive.h"
#include "io/origin.h"
#include "io/text.h"

/* ---- Choice of the array ---- */

static int is_matrix(const npy_header *h) {
    return npy_is_number(h) && h->dims == 2;
}

/* States the problem and lists the arrays: "a (3, 4), b, meta". */
static int refuse_choice(archive *a, const char *path, const char *problem, inco_error *error) {
    char text[500] = "";
    size_t used = 0;
    for (int64_t i = 0; i < archive_count(a) && used < sizeof text; i++) {
        npy_header h;
        int length;
        const char *name = archive_name(a, i, &length);
        if (!name || archive_header(a, i, &h, NULL) < 0) continue;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s", used ? ", " : "", length, name);
        if (used < sizeof text && is_matrix(&h))
            used += (size_t)snprintf(text + used, sizeof text - used, " (%lld, %lld)", (long long)h.shape[0],
                                     (long long)h.shape[1]);
    }
    return error_set(error, INCO_EFORMAT, "%s: %s; it holds: %s", path, problem,
                     used ? text : "nothing that is an array");
}

/* The requested array; else the only matrix; else "components". */
static int choose(archive *a, const char *path, const char *variable, int64_t *chosen, inco_error *error) {
    char problem[200];
    int matrices = 0;
    if (variable) {
        *chosen = archive_find(a, variable);
        snprintf(problem, sizeof problem, "there is no array '%.100s'", variable);
        return *chosen >= 0 ? INCO_OK : refuse_choice(a, path, problem, error);
    }
    for (int64_t i = 0; i < archive_count(a); i++) {
        npy_header h;
        const char *name = archive_name(a, i, NULL);
        if (!name || !strncmp(name, ORIGIN_PREFIX, strlen(ORIGIN_PREFIX))) continue;
        int status = archive_header(a, i, &h, error);
        if (status < 0) return status;
        if (!is_matrix(&h)) continue;
        matrices++;
        *chosen = i;
    }
    if (matrices == 1) return INCO_OK;
    *chosen = archive_find(a, "components");
    if (matrices > 1 && *chosen >= 0) return INCO_OK;
    return refuse_choice(a, path,
                         matrices                         ? "several matrices: name one by option 'variable'"
                         : archive_find(a, "indptr") >= 0 ? "these are codes, not a matrix of numbers"
                                                          : "there is no matrix of numbers",
                         error);
}

/* Closes the archive. */
static int take_matrix(archive *a, const char *path, const io_how *how, inco_mat *m, inco_error *error) {
    file_bytes member = {0};
    char label[ARCHIVE_LABEL];
    int64_t chosen;
    int status;
    TRY(choose(a, path, how->variable, &chosen, error));
    TRY(archive_read(a, chosen, &member, error));
    archive_label(a, chosen, label);
    TRY(npy_matrix(&member, label, how, m, error));
done:
    file_release(&member);
    archive_close(a);
    return status;
}

int npz_load(const char *path, const io_how *how, io_array *out, inco_error *error) {
    archive *a;
    out->columns = how->columns;
    int status = archive_open(&a, path, how->limit, error);
    return status < 0 ? status : take_matrix(a, path, how, &out->m, error);
}

int npz_matrix(file_bytes *file, const char *name, const io_how *how, inco_mat *m, inco_error *error) {
    archive *a;
    *m = (inco_mat){0};
    int status = archive_open_bytes(&a, file, name, how->limit, error);
    return status < 0 ? status : take_matrix(a, name, how, m, error);
}

/* ---- Saving ---- */

/* Adds the text as a 0-d array of NumPy's str, which is read without pickle. */
static int add_meta(archive_writer *w, const char *meta, uint32_t **points, char item[32], inco_error *error) {
    *points = NEW(uint32_t, (int64_t)strlen(meta) + 1);
    if (!*points) return error_no_memory(error);
    int64_t length = text_code_points(meta, *points);
    snprintf(item, 32, "U%lld", (long long)(length ? length : 1));
    return archive_add(w, &(archive_array){"meta", item, 0, 0, {1, 1}, *points}, error);
}

int npz_save(output *out, const io_array *array, const io_how *how, inco_error *error) {
    const inco_mat *m = &array->m;
    inco_mat compact = {0};
    archive_writer *w = NULL;
    uint32_t *points = NULL;
    char item[32];
    int status;
    if (m->ld != m->rows) TRY(mat_convert(&compact, m, m->type, error));
    TRY(archive_new(&w, out, error));
    archive_array components = {"components",       m->type == INCO_F32 ? "f4" : "f8",    how->columns, 2,
                                {m->cols, m->rows}, compact.data ? compact.data : m->data};
    if (how->columns) components.shape[0] = m->rows, components.shape[1] = m->cols;
    TRY(archive_add(w, &components, error));
    if (how->mean) TRY(archive_add(w, &(archive_array){"mean", "f8", 0, 1, {m->rows, 1}, how->mean->data}, error));
    if (how->meta) TRY(add_meta(w, how->meta, &points, item, error));
done:
    status = archive_finish(w, status, error);
    memory_free(points);
    inco_mat_free(&compact);
    return status;
}

int npz_save_mean(output *out, const inco_mat *mean, int64_t fingerprint, inco_error *error) {
    archive_writer *w = NULL;
    int status;
    TRY(archive_new(&w, out, error));
    TRY(archive_add(w, &(archive_array){"mean", "f8", 0, 1, {mean->rows, 1}, mean->data}, error));
    TRY(archive_add(w, &(archive_array){"dictionary", "i8", 0, 0, {1, 1}, &fingerprint}, error));
done:
    return archive_finish(w, status, error);
}
#else
typedef int npz_not_built;
#endif
