/* Grey images with values from 0 to 1: each column of the matrix is a row of pixels. */
#ifndef INCO_IO_IMAGE_H
#define INCO_IO_IMAGE_H

#include "io/io.h"

/* Binary (P5) or text (P2) PGM in memory; `limit` of memory (base/limit.h). */
int pgm_parse(const unsigned char *bytes, size_t length, const char *name, int64_t limit, inco_mat *m,
              inco_error *error);
int image_load_pgm(const char *path, const io_how *how, io_array *out, inco_error *error);
int image_save_pgm(output *out, const io_array *array, const io_how *how, inco_error *error);

int image_load_png(const char *path, const io_how *how, io_array *out, inco_error *error);
int image_save_png(output *out, const io_array *array, const io_how *how, inco_error *error);

/* Converts values from 0 to 1 to bytes, rounded and clipped. */
void image_to_bytes(const float *values, int64_t count, unsigned char *bytes);

#endif
