/* The check of .mat files, from memory; then, if it passes, matio on the same file, as a matrix and as codes. Files of
 * version 7.3 end there, except in the tests: HDF5 reads damaged ones beyond its memory. */
#include "../fuzz.h"
#include "io/matcheck.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static inco_options *options;
    file_bytes file;
    inco_mat m = {0};
    inco_csc codes = {0};
    inco_origin origin = INCO_INIT(inco_origin);
    if (!options) options = fuzz_options(NULL);
    if (!fuzz_bytes(&file, bytes, count)) return 0;
    int good = count && matcheck(&file, FUZZ_LIMIT, NULL) >= 0;
#ifdef INCO_FUZZ
    good = good && !matcheck_is_hdf5(&file);
#endif
    file_release(&file);
    if (!good) return 0;
    const char *path = fuzz_file("x.mat", bytes, count);
    fuzz_matrix(inco_load(path, options, &m, NULL), &m);
    if (inco_load_codes(path, options, &codes, &origin, NULL) >= 0) fuzz_codes(&codes);
    inco_csc_free(&codes);
    inco_origin_free(&origin);
    return 0;
}
