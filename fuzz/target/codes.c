/* Codes with their origin, decoded with a dictionary of the size that they ask for, and assembled to sounds and images.
 */
#include <string.h>

#include "../fuzz.h"

enum { DIM = 16, ATOMS = 64 };

static void decode(const inco_csc *codes, const inco_origin *origin) {
    static double values[DIM * ATOMS];
    const int64_t dim = origin->kind == 1 ? origin->window : origin->kind == 2 ? DIM : 4;
    inco_mat d, signals = {0};
    if (codes->rows > ATOMS || dim < 1 || dim > DIM) return;
    for (int i = 0; i < DIM * ATOMS; i++) values[i] = (i * 7919 % 1009) / 1009. - .5;
    inco_mat_view(&d, INCO_F64, dim, codes->rows, values);
    const int status = inco_decode(&d, codes, origin, &signals, NULL);
    if (status >= 0 && origin->kind) {
        const char *name = origin->files > 1 ? "out" : origin->kind == 1 ? "out.wav" : "out.pgm";
        inco_save_decoded(fuzz_output(name), &signals, origin, NULL);
    }
    fuzz_matrix(status, &signals);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static inco_options *options;
    inco_csc codes = {0};
    inco_origin origin = INCO_INIT(inco_origin);
    if (!options) options = fuzz_options(NULL);
    if (inco_load_codes(fuzz_file("x.npz", bytes, count), options, &codes, &origin, NULL) >= 0) {
        fuzz_codes(&codes);
        decode(&codes, &origin);
    }
    inco_csc_free(&codes);
    inco_origin_free(&origin);
    return 0;
}
