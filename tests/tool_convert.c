/* Reads a file and writes it as another, by their names: for tests that exchange files with other programs.
 *
 *   tool_convert matrix IN OUT [OPTION=VALUE]... [in:OPTION=VALUE]... [meta=TEXT]
 *   tool_convert codes IN OUT
 *   tool_convert cut OUT IN [OPTION=VALUE]...      the signals of inco_data_open, as a matrix
 *
 * OPTION=VALUE holds for both files, in:OPTION=VALUE for the one that is read. */
#include <inco/inco.h>
#include <stdio.h>
#include <string.h>

static int set(inco_options *options, const char *text, inco_error *error) {
    char name[64];
    const char *equals = strchr(text, '=');
    if (!equals || (size_t)(equals - text) >= sizeof name) return INCO_EINVAL;
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    return inco_options_set(options, name, equals + 1, error);
}

static int set_all(inco_options *in, inco_options *out, const char **meta, char **args, inco_error *error) {
    for (int status; *args; args++) {
        const int only_in = !strncmp(*args, "in:", 3);
        if (!strncmp(*args, "meta=", 5)) {
            *meta = *args + 5;
            continue;
        }
        status = set(in, *args + (only_in ? 3 : 0), error);
        if (!status && !only_in) status = set(out, *args, error);
        if (status) return status;
    }
    return 0;
}

static int convert_matrix(char **args, inco_error *error) {
    inco_options *in = inco_options_new(), *out = inco_options_new();
    inco_mat m = {0};
    const char *meta = NULL;
    int status = set_all(in, out, &meta, args + 2, error);
    if (!status) status = inco_load(args[0], in, &m, error);
    if (!status) status = inco_save(args[1], &m, out, meta, error);
    inco_mat_free(&m);
    inco_options_free(in);
    inco_options_free(out);
    return status;
}

static int convert_codes(char **args, inco_error *error) {
    inco_csc codes = {0};
    inco_origin origin = INCO_INIT(inco_origin);
    int status = inco_load_codes(args[0], NULL, &codes, &origin, error);
    if (!status) status = inco_save_codes(args[1], &codes, &origin, error);
    inco_csc_free(&codes);
    inco_origin_free(&origin);
    return status;
}

static int cut(char **args, inco_error *error) {
    inco_options *options = inco_options_new();
    inco_data *data = NULL;
    inco_mat m = {0};
    const char *const paths[] = {args[1]}, *meta = NULL;
    int status = set_all(options, options, &meta, args + 2, error);
    if (!status) status = inco_data_open(&data, paths, 1, options, error);
    inco_source s = INCO_INIT(inco_source);
    if (!status) status = inco_data_source(data, &s, error);
    if (!status) status = inco_mat_new(&m, s.type, s.dim, s.count, error);
    if (!status) status = s.read(s.self, 0, s.count, m.data, error);
    if (!status) status = inco_save(args[0], &m, NULL, NULL, error);
    inco_mat_free(&m);
    inco_data_free(data);
    inco_options_free(options);
    return status;
}

int main(int argc, char **argv) {
    inco_error error = {0};
    int status = INCO_EINVAL;
    snprintf(error.message, sizeof error.message, "usage: tool_convert matrix|codes|cut FILE FILE [OPTION=VALUE]...");
    if (argc >= 4 && !strcmp(argv[1], "matrix")) status = convert_matrix(argv + 2, &error);
    if (argc >= 4 && !strcmp(argv[1], "codes")) status = convert_codes(argv + 2, &error);
    if (argc >= 4 && !strcmp(argv[1], "cut")) status = cut(argv + 2, &error);
    if (status) fprintf(stderr, "%s\n", error.message);
    return status ? 1 : 0;
}
