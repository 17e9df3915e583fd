/* Arrays of NumPy, from memory. */
#include "../fuzz.h"
#include "io/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    fuzz_memory(npy_matrix, bytes, count);
    return 0;
}
