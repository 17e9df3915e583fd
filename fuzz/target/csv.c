/* Numbers as text, from memory. */
#include <stdlib.h>

#include "../fuzz.h"
#include "io/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    inco_mat m = {0};
    uint8_t *text = fuzz_copy(bytes, count);
    fuzz_matrix(csv_parse((char *)text, count, "x", &(csv_how){",\t; ", FUZZ_LIMIT}, &m, NULL), &m);
    free(text);
    return 0;
}
