/* Grey images, values from 0 to 1: a row of pixels per column of the matrix. */
#ifndef INCO_IO_IMAGE_H
#define INCO_IO_IMAGE_H

#include "io/io.h"

/* Binary (P5) or text (P2) PGM in memory. */
int pgm_parse(const unsigned char *bytes, size_t length, const char *name, inco_mat *m, inco_error *error);
int image_load_pgm(const char *path, const io_how *how, io_array *out, inco_error *error);
int image_save_pgm(output *out, const io_array *array, const io_how *how, inco_error *error);

int image_load_png(const char *path, const io_how *how, io_array *out, inco_error *error);
int image_save_png(output *out, const io_array *array, const io_how *how, inco_error *error);

/* Values of 0 to 1 as bytes, rounded; what is beyond is cut off. */
void image_to_bytes(const float *values, int64_t count, unsigned char *bytes);

#endif
