#include "replace/notes.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sparse/csc.h"

int notes_new(pass_notes *notes, int64_t atoms, int64_t worst, inco_error *error) {
    *notes = (pass_notes){.atoms = atoms, .use_energy = NEW(double, atoms), .use_count = NEW(int64_t, atoms)};
    if (notes->use_energy && notes->use_count && worst_new(&notes->worst, worst) >= 0) return INCO_OK;
    notes_free(notes);
    return error_no_memory(error);
}

void notes_free(pass_notes *notes) {
    memory_free(notes->use_energy);
    memory_free(notes->use_count);
    worst_free(&notes->worst);
    *notes = (pass_notes){0};
}

void notes_clear(pass_notes *notes) {
    memset(notes->use_energy, 0, (size_t)notes->atoms * sizeof *notes->use_energy);
    memset(notes->use_count, 0, (size_t)notes->atoms * sizeof *notes->use_count);
    notes->worst.count = 0;
}

void notes_add(pass_notes *notes, const pass_group *group) {
    const csc *codes = group->codes;
    for (int64_t k = 0; k < csc_nonzeros(codes); k++) {
        const double value = csc_value(codes, k);
        notes->use_energy[codes->index[k]] += value * value;
        notes->use_count[codes->index[k]] += value != 0;
    }
    for (int64_t n = 0; n < group->x->cols; n++) worst_offer(&notes->worst, group->first + n, group->residual[n]);
}
