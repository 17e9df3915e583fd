/* Hugging Face's .safetensors, as decoders of sparse autoencoders come: 8 bytes with the length of the header, a header
 * in JSON, and the bytes of the tensors, little-endian and in C order. */
#ifndef INCO_IO_SAFETENSORS_H
#define INCO_IO_SAFETENSORS_H

#include "io/file.h"
#include "io/io.h"

/* Loads a tensor of two dimensions with items F64, F32, F16 or BF16: how->variable, else the only one, else
 * "components". */
int safetensors_load(const char *path, const io_how *how, io_array *out, inco_error *error);
/* The same from bytes in memory; takes over file->owner if the tensor is read where it is. `name` is for messages. */
int safetensors_matrix(file_bytes *file, const char *name, const io_how *how, inco_mat *m, inco_error *error);

/* Saves one tensor, how->variable or "components", in the precision of the matrix. */
int safetensors_save(output *out, const io_array *array, const io_how *how, inco_error *error);

#endif
