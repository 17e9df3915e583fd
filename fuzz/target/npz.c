/* Archives of arrays: as a matrix of either orientation, from memory; then the mean of a dictionary, from a file. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "../fuzz.h"
#include "io/npz.h"

static void load_mean(const uint8_t *bytes, size_t count) {
    static inco_options *options;
    const char *path = fuzz_file("x.npz", bytes, count);
    inco_mat m = {0}, mean = {0};
    if (!options) options = fuzz_options((const char *const[]){"variable", "components", NULL});
    const int status = inco_load(path, options, &m, NULL);
    if (status >= 0 && m.rows <= 64) fuzz_matrix(inco_load_mean(path, &m, &mean, NULL), &mean);
    fuzz_matrix(status, &m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const char name[] = "mean.npy";
    const int columns = count % 2;
    if (fuzz_memory(npz_matrix, columns, bytes, count) && memmem(bytes, count, name, sizeof name - 1))
        load_mean(bytes, count);
    return 0;
}
