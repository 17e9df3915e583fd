/* Codes with their origin, from memory, decoded with a dictionary of the size that they ask for, and assembled to
 * sounds and images.
 */
#include <string.h>

#include "../fuzz.h"

#include "io/npz.h"
#include "sparse/wide.h"

enum { DIM = 16, ATOMS = 64, SIGNALS = 4096, LIMIT = 1 << 17 };

static void decode(const inco_csc *codes, const inco_origin *origin) {
    static double values[DIM * ATOMS];
    const int64_t dim = origin->kind == 1 ? origin->window : origin->kind == 2 ? DIM : 4;
    inco_mat d, signals = {0};
    if (codes->rows > ATOMS || codes->cols > SIGNALS || dim < 1 || dim > DIM) return;
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
    file_bytes file;
    csc narrow = {0};
    inco_csc codes = {0};
    inco_origin origin = INCO_INIT(inco_origin);
    if (!fuzz_bytes(&file, bytes, count)) return 0;
    if (npz_codes(&file, "x", LIMIT, &narrow, &origin, NULL) >= 0 &&
        wide_new(&codes, narrow.type, narrow.rows, narrow.cols, NULL) >= 0 && wide_append(&codes, &narrow, NULL) >= 0) {
        fuzz_codes(&codes);
        decode(&codes, &origin);
    }
    csc_free(&narrow);
    inco_csc_free(&codes);
    inco_origin_free(&origin);
    return 0;
}
