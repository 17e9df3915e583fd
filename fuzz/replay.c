/* Runs a fuzz target on the files named, in place of libFuzzer. Fails if none of them is accepted: the corpus is then
 * out of date (fuzz/make-corpus). */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        uint8_t *bytes = malloc(1 << 20);
        if (!file || !bytes) return 1;
        const size_t count = fread(bytes, 1, 1 << 20, file);
        fclose(file);
        for (size_t length = count;; length /= 2) { /* truncated too */
            LLVMFuzzerTestOneInput(bytes, length);
            if (!length) break;
        }
        free(bytes);
    }
    if (!fuzz_accepted) fputs("no input was accepted\n", stderr);
    return !fuzz_accepted;
}
