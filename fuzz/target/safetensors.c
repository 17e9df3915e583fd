/* Tensors in .safetensors, from memory. */
#include "../fuzz.h"
#include "io/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    fuzz_memory(safetensors_matrix, bytes, count);
    return 0;
}
