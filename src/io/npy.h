/* NumPy's .npy format in memory: the header is parsed as text, never evaluated. */
#ifndef INCO_IO_NPY_H
#define INCO_IO_NPY_H

#include "io/file.h"
#include "io/io.h"

typedef struct npy_header {
    char kind;   /* as NumPy's dtype.kind: b i u f are numbers; c O S U V M m are not */
    int size;    /* bytes of an item */
    int swapped; /* of the other byte order */
    int fortran; /* first index fastest */
    int dims;
    int64_t shape[2]; /* the first two dimensions; 1 if there are fewer */
    int64_t count;    /* items in all */
    size_t offset;    /* where the data begins */
} npy_header;

enum { NPY_BFLOAT = 'B' }; /* kind of bfloat16, which .safetensors has and NumPy lacks */

enum { NPY_HEADER_MAX = 1 << 16 }; /* bytes; structured arrays aside, headers have about 128 */

/* Parses the header; `name` is for messages. The data need not be in `bytes` yet. */
int npy_parse(const unsigned char *bytes, size_t length, const char *name, npy_header *header, inco_error *error);
/* Checks that all items are within `length` bytes. */
int npy_check_length(const npy_header *header, size_t length, const char *name, inco_error *error);

int npy_is_number(const npy_header *header);
inco_type npy_type(const npy_header *header); /* type of the numbers after conversion: f32 for f2, f4 and integers up to
                                               * 16 bits */
/* Converts all items, in file order, to `out`. `data` is the first item, of any alignment. */
void npy_convert(const npy_header *header, const unsigned char *data, inco_type type, void *out);
/* Item i of an integer kind; negative if int64 cannot hold it. */
int64_t npy_integer(const npy_header *header, const unsigned char *data, int64_t i);
int npy_is_integer(const npy_header *header);

/* The numbers that a checked header describes, in file->data at its offset, as a matrix with one signal per column.
 * Takes over the bytes (file->owner) if they are the matrix. */
int npy_take(file_bytes *file, const npy_header *header, const char *name, const io_how *how, inco_mat *m,
             inco_error *error);
/* The file as a matrix with one signal per column. Takes over the bytes (file->owner) if they are the matrix. */
int npy_matrix(file_bytes *file, const char *name, const io_how *how, inco_mat *m, inco_error *error);

/* Writes a version 1.0 header (padded to 64 bytes) for items such as "f4" or "U12" of native byte order. */
size_t npy_header_text(char out[256], const char *item, int fortran, int dims, const int64_t *shape);

int npy_native_is_little(void); /* whether this machine stores the lowest byte first */

int npy_load(const char *path, const io_how *how, io_array *out, inco_error *error);
int npy_save(output *out, const io_array *array, const io_how *how, inco_error *error);

#endif
