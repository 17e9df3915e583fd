/* Tensors in .safetensors, from memory. */
#include <string.h>

#include "../fuzz.h"
#include "io/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    for (int columns = 0; columns < 2; columns++) {
        const io_how how = {.columns = columns, .limit = FUZZ_LIMIT};
        file_bytes file;
        inco_mat m = {0};
        unsigned char *copy = file_block(&file, count);
        if (!copy) return 0;
        if (count) memcpy(copy, bytes, count);
        file.path = "x";
        fuzz_matrix(safetensors_matrix(&file, "x", &how, &m, NULL), &m);
        file_release(&file);
    }
    return 0;
}
