/* Where windows and patches lie. A cut of a file into places is numbered from 0; `step` apart, in both directions for
 * images. The same arithmetic cuts files into signals and puts decoded signals back. */
#ifndef INCO_IO_CUT_H
#define INCO_IO_CUT_H

#include "io/io.h"

typedef struct cut {
    io_kind kind;
    int64_t rows, cols; /* of a signal: window x 1, or a patch */
    int64_t step;
    int whole; /* the rest at the end is a place too: padded (audio), or moved back to the border (images) */
} cut;

/* Places in a file of that size: samples x 1, or rows and columns of an image. 0 when it is too small. */
int64_t cut_count(const cut *c, int64_t rows, int64_t cols);
/* The first row and column of a place. */
void cut_place(const cut *c, int64_t rows, int64_t cols, int64_t place, int64_t *row, int64_t *col);

#endif
