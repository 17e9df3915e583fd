/* Images in PGM, from memory. */
#include <stdlib.h>

#include "../fuzz.h"
#include "io/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    inco_mat m = {0};
    uint8_t *copy = fuzz_copy(bytes, count);
    fuzz_matrix(pgm_parse(copy, count, "x", FUZZ_LIMIT, &m, NULL), &m);
    free(copy);
    return 0;
}
