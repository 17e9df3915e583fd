#include "numbers.h"

#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "mat/mat.h"

static unsigned byte(numbers *n) {
    if (!n->left) return 0;
    n->left--;
    return *n->at++;
}

int64_t numbers_below(numbers *n, int bound) {
    return byte(n) % (unsigned)bound;
}

numbers numbers_from(const uint8_t *bytes, size_t count) {
    numbers n = {bytes, count, 0};
    n.form = (int)numbers_below(&n, 3);
    return n;
}

static double entry(numbers *n) {
    double value = (int8_t)byte(n);
    if (n->form == 1) return ldexp(value, 8 * (int8_t)byte(n));
    if (n->form == 2) {
        unsigned char bits[8];
        for (int i = 0; i < 8; i++) bits[i] = (unsigned char)byte(n);
        memcpy(&value, bits, sizeof value);
    }
    return value;
}

inco_mat numbers_matrix(numbers *n, int type, int64_t rows, int64_t cols) {
    inco_mat m = {0};
    PROMISE(inco_mat_new(&m, (inco_type)type, rows, cols, NULL) == 0);
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            const double value = entry(n);
            if (type == INCO_F32)
                ((float *)m.data)[i + j * m.ld] = fabs(value) > 3e38 ? (float)copysign(INFINITY, value) : (float)value;
            else
                ((double *)m.data)[i + j * m.ld] = value;
        }
    return m;
}
