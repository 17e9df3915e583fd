/* Runs a fuzz target on the files named, in place of libFuzzer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

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
    if (argc < 2) fputs("no corpus\n", stderr);
    return argc < 2;
}
