/* Positions of windows and patches in a file, numbered from 0, `step` apart, in both directions for images. Used both
 * to cut files into signals and to reassemble decoded signals. */
#ifndef INCO_IO_CUT_H
#define INCO_IO_CUT_H

#include "io/io.h"

typedef struct cut {
    io_kind kind;
    int64_t rows, cols; /* of a signal: window x 1, or a patch */
    int64_t step;
    int whole; /* the end of the file is covered by one more signal: padded (audio), or aligned to the border
                * (images) */
} cut;

/* Number of signals in a file of this size: samples x 1, or rows and columns of an image. 0 if it is too small. */
int64_t cut_count(const cut *c, int64_t rows, int64_t cols);
/* First row and column of a signal. */
void cut_place(const cut *c, int64_t rows, int64_t cols, int64_t place, int64_t *row, int64_t *col);

#endif
