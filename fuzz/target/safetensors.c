/* Tensors in .safetensors, from memory. */
#include "../fuzz.h"
#include "io/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    for (int columns = 0; columns < 2; columns++) fuzz_memory(safetensors_matrix, columns, bytes, count);
    return 0;
}
