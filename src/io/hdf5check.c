#include "io/hdf5check.h"

#include "base/error.h"

#ifdef INCO_HAVE_HDF5
#include <hdf5.h>

#include "base/limit.h"
#include "base/memory.h"

/* matio lists variables in quadratic time, and visits all objects for each cell. */
enum { DEEPEST = 64, OBJECTS_MAX = 1 << 16, VARIABLES_MAX = 1 << 13, VISITS_MAX = 1 << 23, CELL_SIZE = 512 };

typedef struct visit {
    const hdf5_file *file;
    int whole;       /* the data will be read */
    int64_t objects; /* visited, once per way that leads to them */
    int64_t cells;   /* of them */
    int64_t numbers; /* to be read */
    int depth;
    int status;
    inco_error *error;
} visit;

static int refuse(const visit *v, const char *why) {
    return error_set(v->error, INCO_EFORMAT, "%s: %s; save its matrix alone, with save -v7", v->file->path, why);
}

static int damaged(const visit *v) {
    return error_set(v->error, INCO_EFORMAT, "%s: truncated or damaged: its HDF5 structure cannot be read",
                     v->file->path);
}

/* ---- Datasets ---- */

typedef struct dataset {
    hid_t id, made, type, space; /* made: the properties that it was created with */
} dataset;

static int64_t product(int rank, const hsize_t *sides) {
    int64_t count = 1;
    for (int i = 0; i < rank; i++) count = limit_product(count, sides[i] > INT64_MAX ? -1 : (int64_t)sides[i]);
    return count;
}

static int64_t count_items(const dataset *d) {
    hsize_t sides[H5S_MAX_RANK];
    return product(H5Sget_simple_extent_dims(d->space, sides, NULL), sides);
}

/* One deflation at most, since the limit of memory counts on it; no filter that HDF5 would load. */
static int check_filters(const visit *v, hid_t made) {
    const int count = H5Pget_nfilters(made);
    int deflations = 0;
    for (int i = 0; i < count; i++) {
        unsigned flags;
        size_t values = 0;
        const H5Z_filter_t filter = H5Pget_filter2(made, (unsigned)i, &flags, &values, NULL, 0, NULL, NULL);
        deflations += filter == H5Z_FILTER_DEFLATE;
        if ((filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32) ||
            deflations > 1)
            return refuse(v, "its data is compressed in another way than MATLAB's");
    }
    return INCO_OK;
}

/* Numbers as doubles, and a chunk, which HDF5 inflates as a whole. */
static int check_data(visit *v, const dataset *d, size_t size) {
    hsize_t sides[H5S_MAX_RANK];
    limit_claim claim = {.path = v->file->path,
                         .what = "numbers",
                         .size = size,
                         .holds = LIMIT_DEFLATE * (double)v->file->length,
                         .limit = v->file->limit};
    int status;
    TRY(check_filters(v, d->made));
    if (__builtin_add_overflow(v->numbers, count_items(d), &v->numbers)) v->numbers = INT64_MAX;
    claim.count = v->numbers;
    TRY(limit_check(&claim, v->error));
    if (H5Pget_layout(d->made) != H5D_CHUNKED) goto done;
    claim.count = product(H5Pget_chunk(d->made, H5S_MAX_RANK, sides), sides);
    TRY(limit_check(&claim, v->error));
done:
    return status;
}

static int check_object(visit *v, hid_t object);

/* Opens what the cells refer to. */
static int check_cells(visit *v, const dataset *d) {
    hobj_ref_t *cells = NULL;
    const int64_t count = count_items(d);
    int status;
    if (H5Tequal(d->type, H5T_STD_REF_OBJ) <= 0) TRY(refuse(v, "it has references to regions"));
    TRY(check_data(v, d, CELL_SIZE));
    if (!(cells = NEW(hobj_ref_t, count))) TRY(error_no_memory(v->error));
    if (H5Dread(d->id, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells) < 0) TRY(damaged(v));
    for (int64_t i = 0; i < count; i++) {
        const hid_t object = cells[i] ? H5Rdereference2(d->id, H5P_DEFAULT, H5R_OBJECT, &cells[i]) : H5I_INVALID_HID;
        if (object < 0) continue; /* an empty cell */
        v->cells++;
        status = check_object(v, object);
        H5Oclose(object);
        if (status < 0) break;
    }
done:
    memory_free(cells);
    return status;
}

static int check_opened(visit *v, const dataset *d) {
    const size_t size = H5Tget_size(d->type);
    if (d->made < 0 || d->type < 0 || d->space < 0 || !size) return damaged(v);
    if (H5Pget_external_count(d->made) != 0 || H5Pget_layout(d->made) == H5D_VIRTUAL)
        return refuse(v, "its data is in another file");
    if (H5Tget_class(d->type) == H5T_REFERENCE) return check_cells(v, d);
    return v->whole ? check_data(v, d, size > sizeof(double) ? size : sizeof(double)) : INCO_OK;
}

static int check_dataset(visit *v, hid_t id) {
    const dataset d = {id, H5Dget_create_plist(id), H5Dget_type(id), H5Dget_space(id)};
    const int status = check_opened(v, &d);
    if (d.made >= 0) H5Pclose(d.made);
    if (d.type >= 0) H5Tclose(d.type);
    if (d.space >= 0) H5Sclose(d.space);
    return status;
}

/* ---- Groups ---- */

static herr_t visit_link(hid_t group, const char *name, const H5L_info_t *info, void *self) {
    visit *v = self;
    if (info->type != H5L_TYPE_HARD) {
        v->status = refuse(v, "it has links to other files or variables");
    } else {
        const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
        v->status = object < 0 ? damaged(v) : check_object(v, object);
        if (object >= 0) H5Oclose(object);
    }
    return v->status < 0 ? -1 : 0;
}

static int check_group(visit *v, hid_t group) {
    v->status = INCO_OK;
    const herr_t good = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, visit_link, v);
    return v->status >= 0 && good < 0 ? damaged(v) : v->status;
}

/* A circle ends at the maximum depth, many ways to the same objects at their maximum number. */
static int check_object(visit *v, hid_t object) {
    const H5I_type_t type = H5Iget_type(object);
    int status = INCO_OK;
    if (++v->objects > OBJECTS_MAX) return refuse(v, "it has more than 65536 variables and cells");
    if (++v->depth > DEEPEST) return refuse(v, "its groups or cells are nested deeper than 64 levels, or in a circle");
    if (type == H5I_GROUP) status = check_group(v, object);
    if (type == H5I_DATASET) status = check_dataset(v, object);
    v->depth--;
    return status;
}

/* ---- Files ---- */

static int check_root(visit *v, hid_t root) {
    H5G_info_t info;
    int status;
    if (H5Gget_info(root, &info) < 0) TRY(damaged(v));
    if (info.nlinks > VARIABLES_MAX) TRY(refuse(v, "it has more than 8192 variables"));
    TRY(check_object(v, root));
    if (v->cells * v->objects > VISITS_MAX) TRY(refuse(v, "it has too many cells"));
done:
    return status;
}

int hdf5check(const hdf5_file *file, const char *variable, inco_error *error) {
    visit v = {.file = file, .whole = variable != NULL, .error = error};
    const hid_t id = H5Fopen(file->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (id < 0) return damaged(&v);
    const hid_t object = H5Oopen(id, variable ? variable : "/", H5P_DEFAULT);
    const int status = object < 0 ? damaged(&v) : variable ? check_object(&v, object) : check_root(&v, object);
    if (object >= 0) H5Oclose(object);
    H5Fclose(id);
    return status;
}

void hdf5check_hush(hdf5_voice *saved) {
    H5E_auto2_t function = NULL;
    H5Eget_auto2(H5E_DEFAULT, &function, &saved->self);
    saved->function = (void (*)(void))function;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void hdf5check_speak(const hdf5_voice *saved) {
    H5Eset_auto2(H5E_DEFAULT, (H5E_auto2_t)saved->function, saved->self);
}
#else
int hdf5check(const hdf5_file *file, const char *variable, inco_error *error) {
    (void)variable;
    return error_set(error, INCO_ENOTBUILT,
                     "%s: this build of inco lacks HDF5, for .mat files of version 7.3; save it with save -v7, or "
                     "install HDF5 (Debian: libhdf5-dev) and build inco again",
                     file->path);
}

void hdf5check_hush(hdf5_voice *saved) {
    (void)saved;
}

void hdf5check_speak(const hdf5_voice *saved) {
    (void)saved;
}
#endif
