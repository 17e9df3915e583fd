#include "dictionary.h"

int dictionary_load(run *r, const char *path, inco_mat *dictionary) {
    inco_options *options = inco_options_new();
    int status;
    if (!options) return run_no_memory(r);
    if (inco_options_get_number(r->options, "columns") > 0) TRY(inco_options_set(options, "columns", "yes", &r->error));
    TRY(inco_load(path, options, dictionary, &r->error));
done:
    inco_options_free(options);
    return status;
}

int dictionary_names(run *r, char **dictionary, char **output) {
    int status;
    TRY(run_text(r, "output", output));
    TRY(run_text(r, "dictionary", dictionary));
    if (!*dictionary) TRY(run_fail(r, INCO_EINVAL, "no dictionary given: -D FILE"));
    if (!*output) TRY(run_fail(r, INCO_EINVAL, "no output file given: -o FILE"));
done:
    return status;
}
