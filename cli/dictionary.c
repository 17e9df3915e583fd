#include "dictionary.h"

int dictionary_options(run *r, inco_options **options) {
    *options = inco_options_new();
    if (!*options) return run_no_memory(r);
    if (!(inco_options_get_number(r->options, "columns") > 0)) return INCO_OK;
    return inco_options_set(*options, "columns", "yes", &r->error);
}

int dictionary_load(run *r, const char *path, inco_mat *dictionary) {
    inco_options *options = NULL;
    int status;
    TRY(dictionary_options(r, &options));
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

static void add(const inco_mat *mean, double sign, inco_type type, int64_t count, void *values) {
    const double *m = mean->data;
    for (int64_t n = 0; n < count; n++)
        for (int64_t i = 0; i < mean->rows; i++) {
            const int64_t at = n * mean->rows + i;
            if (type == INCO_F32)
                ((float *)values)[at] = (float)((double)((float *)values)[at] + sign * m[i]);
            else
                ((double *)values)[at] += sign * m[i];
        }
}

static int read_centred(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const centred *c = self;
    int status = c->from.read(c->from.self, first, count, out, error);
    if (status >= 0) add(&c->mean, -1, c->from.type, count, out);
    return status;
}

static int read_mask(void *self, int64_t first, int64_t count, unsigned char *out, inco_error *error) {
    const centred *c = self;
    return c->from.mask(c->from.self, first, count, out, error);
}

void dictionary_centre(centred *c, inco_source *source) {
    if (!c->mean.data) return;
    c->from = *source;
    source->self = c;
    source->read = read_centred;
    if (c->from.mask) source->mask = read_mask;
}

void dictionary_add_mean(const inco_mat *mean, inco_mat *signals) {
    for (int64_t n = 0; mean->data && n < signals->cols; n++)
        add(mean, 1, signals->type, 1, (char *)signals->data + (size_t)(n * signals->ld) * signals->type);
}
