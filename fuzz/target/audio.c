/* Sounds, as windows, at their own rate and resampled. */
#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static inco_options *options[2];
    const char *path = fuzz_file("x.wav", bytes, count);
    if (!options[0]) options[0] = fuzz_options((const char *const[]){"window", "4", "hop", "1", NULL});
    if (!options[1]) options[1] = fuzz_options((const char *const[]){"window", "4", "rate", "4000", NULL});
    for (int i = 0; i < 2; i++) {
        inco_data *data = NULL;
        inco_origin origin = INCO_INIT(inco_origin);
        if (inco_data_open(&data, &path, 1, options[i], NULL) >= 0) {
            fuzz_accepted++;
            PROMISE(inco_data_origin(data, &origin, NULL) >= 0);
        }
        inco_origin_free(&origin);
        inco_data_free(data);
    }
    return 0;
}
