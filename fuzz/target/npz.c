/* Archives of arrays: as a matrix of each orientation, as data in blocks, and the mean of a dictionary. */
#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static inco_options *rows, *columns;
    const char *path = fuzz_file("x.npz", bytes, count);
    inco_mat m = {0}, mean = {0};
    if (!rows) rows = fuzz_options(NULL);
    if (!columns) columns = fuzz_options((const char *const[]){"columns", "yes", "variable", "components", NULL});
    fuzz_matrix(inco_load(path, columns, &m, NULL), &m);
    const int status = inco_load(path, rows, &m, NULL);
    if (status >= 0 && m.rows <= 64) fuzz_matrix(inco_load_mean(path, &m, &mean, NULL), &mean);
    fuzz_matrix(status, &m);
    return 0;
}
