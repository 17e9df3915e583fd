/* What the fuzz targets share. A target is one file in fuzz/target, with LLVMFuzzerTestOneInput; one in fuzz/mutate may
 * give it a mutator that knows the format. */
#ifndef INCO_FUZZ_H
#define INCO_FUZZ_H

#include <inco/inco.h>

#include <stdint.h>

#include "io/file.h"
#include "io/io.h"

/* Bytes of memory that a reader may take; of max-memory in the options of fuzz_options. */
enum { FUZZ_READ = 1 << 20, FUZZ_LIMIT = 64 * 1000 * 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Inputs that were accepted: without any, a corpus is out of date, and the replay fails. */
extern int64_t fuzz_accepted;

/* Ends the program with a message if a promise is broken. */
#define PROMISE(kept)                                                                                                  \
    do {                                                                                                               \
        if (!(kept)) fuzz_broken(#kept, __FILE__, __LINE__);                                                           \
    } while (0)
_Noreturn void fuzz_broken(const char *promise, const char *file, int line);

/* A copy of exactly this length, so that the address sanitizer sees a read beyond it. To be freed. */
uint8_t *fuzz_copy(const uint8_t *bytes, size_t count);
/* Writes the input to a file of this name, in a folder of its own below $TMPDIR, and returns its path. */
const char *fuzz_file(const char *name, const uint8_t *bytes, size_t count);
/* The path of another file in that folder, valid until the next call. */
const char *fuzz_output(const char *name);
/* The default options with max-memory at FUZZ_LIMIT and one thread, and with further names and values up to NULL; never
 * freed. */
inco_options *fuzz_options(const char *const *settings);

/* What every reader promises: a matrix of the size that it states, or, after a failure, none. Frees it. */
void fuzz_matrix(int status, inco_mat *m);
/* A copy of the input as a file in memory; returns 0 if out of memory. To be released. */
int fuzz_bytes(file_bytes *file, const uint8_t *bytes, size_t count);
/* Reads the input as a matrix, by rows or by columns, from memory. Returns whether it was accepted. */
typedef int fuzz_reader(file_bytes *file, const char *name, const io_how *how, inco_mat *m, inco_error *error);
int fuzz_memory(fuzz_reader *read, int columns, const uint8_t *bytes, size_t count);
/* The same for codes: sorted, in range, finite. Does not free them. */
void fuzz_codes(const inco_csc *codes);

#endif
