/* Images in PNG, as patches. */
#include "../fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static inco_options *options;
    const char *path = fuzz_file("x.png", bytes, count);
    inco_data *data = NULL;
    inco_origin origin = INCO_INIT(inco_origin);
    if (!options) options = fuzz_options((const char *const[]){"patch", "2x2", "hop", "1", NULL});
    if (inco_data_open(&data, &path, 1, options, NULL) >= 0) {
        fuzz_accepted++;
        PROMISE(inco_data_origin(data, &origin, NULL) >= 0);
    }
    inco_origin_free(&origin);
    inco_data_free(data);
    return 0;
}
