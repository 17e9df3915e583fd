/* The recordings: those held out for testing, and the signals cut from the others. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/outputs.h"
#include "reproduce.h"

/* ---- Opening recordings ---- */

/* Windows of all recordings, or `signals` of them at random. */
static int open_windows(run *r, const char *const *paths, int count, int64_t signals, int64_t seed, inco_data **data) {
    inco_options *options = inco_options_new();
    char *threads = NULL;
    int status = INCO_OK;
    if (!options) TRY(run_no_memory(r));
    TRY(run_text(r, "threads", &threads));
    TRY(inco_options_set(options, "threads", threads, &r->error));
    TRY(inco_options_set_number(options, "window", REPRODUCE_DIM, &r->error));
    TRY(inco_options_set_number(options, "rate", REPRODUCE_RATE, &r->error));
    TRY(inco_options_set_number(options, "seed", (double)seed, &r->error));
    if (signals) TRY(inco_options_set_number(options, "signals", (double)signals, &r->error));
    TRY(inco_data_open(data, paths, count, options, &r->error));
done:
    free(threads);
    inco_options_free(options);
    return status;
}

static int open_folder(const experiment *e, inco_data **data) {
    run *r = e->run;
    inco_error error;
    struct stat info;
    if (stat(e->data, &info) || !S_ISDIR(info.st_mode))
        return run_fail(r, INCO_EIO, "--data '%s' is not a folder", e->data);
    int status = open_windows(r, (const char *const[]){e->data}, 1, 0, 0, data);
    if (status >= 0) return status;
    error = r->error;
    return run_fail(r, status == INCO_EINVAL ? INCO_EDATA : status, "--data '%s' is not a folder of recordings: %.900s",
                    e->data, error.message);
}

/* ---- The experiment of the folder ---- */

static uint64_t mix(uint64_t hash, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u; /* FNV-1a */
    return hash;
}

/* Hash of names and sizes of the recordings; the folder may have moved. */
static uint64_t fingerprint(const inco_data *data) {
    uint64_t hash = 14695981039346656037u;
    for (int64_t i = 0; i < inco_data_files(data); i++) {
        const char *path = inco_data_file(data, i), *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
        struct stat info = {0};
        char size[32];
        if (stat(path, &info)) info.st_size = 0;
        snprintf(size, sizeof size, " %lld\n", (long long)info.st_size);
        hash = mix(mix(hash, name, strlen(name)), size, strlen(size));
    }
    return hash;
}

/* All that a result depends on, as text. Seeds have their own folders, so that more can be added. */
static char *describe(const experiment *e, const inco_data *data) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fprintf(out, "inco %s reproduce sigg2012\n", inco_version());
    fprintf(out, "recordings %lld (%016llx)\n", (long long)inco_data_files(data),
            (unsigned long long)fingerprint(data));
    fprintf(out, "signals %lld\natoms %lld\niterations %lld\npasses %lld\nsettings %s\nresults 2\n",
            (long long)e->signals, (long long)e->atoms, (long long)e->iterations, (long long)e->passes,
            e->quick ? "quick" : "all"); /* the last: version of the measurements */
    if (!fclose(out)) return text;
    free(text);
    return NULL;
}

/* Refuses a folder of another experiment, quoting the first lines that differ. */
static int refuse_other(const experiment *e, const char *path, const char *found, const char *wanted) {
    size_t a = strcspn(found, "\n"), b = strcspn(wanted, "\n");
    while (a == b && a && !strncmp(found, wanted, a) && found[a] && wanted[b]) {
        found += a + 1;
        wanted += b + 1;
        a = strcspn(found, "\n");
        b = strcspn(wanted, "\n");
    }
    return run_fail(
        e->run, INCO_EINVAL,
        "-o '%s' has another experiment: '%s' says \"%.*s\", but this one has \"%.*s\": name another folder", e->output,
        path, (int)a, found, (int)b, wanted);
}

static int agree(const experiment *e, const char *path, const char *wanted) {
    char found[1024];
    FILE *in = fopen(path, "r");
    if (!in) return outputs_write(e->run, path, wanted, strlen(wanted));
    const size_t length = fread(found, 1, sizeof found - 1, in);
    fclose(in);
    found[length] = 0;
    return strcmp(found, wanted) ? refuse_other(e, path, found, wanted) : INCO_OK;
}

/* ---- Checks ---- */

static int make_folder(run *r, const char *path) {
    if (!path) return run_no_memory(r);
    if (mkdir(path, 0777) && errno != EEXIST)
        return run_fail(r, INCO_EIO, "cannot create the folder '%s': %s", path, strerror(errno));
    return INCO_OK;
}

int split_check(experiment *e) {
    run *r = e->run;
    const output outputs[] = {{"-o", e->output, OUTPUT_FOLDER}};
    inco_data *data = NULL;
    char *wanted = NULL, *path = NULL;
    int status;
    TRY(open_folder(e, &data));
    if (inco_data_files(data) <= REPRODUCE_TEST_FILES)
        TRY(run_fail(r, INCO_EDATA,
                     "--data '%s' has %lld recordings: the experiment uses %d for testing and needs more for training",
                     e->data, (long long)inco_data_files(data), REPRODUCE_TEST_FILES));
    /* an output folder among the recordings would be read as data the next time */
    TRY(outputs_check(r, outputs, 1, (const char *const[]){e->data}, 1));
    TRY(make_folder(r, e->output));
    wanted = describe(e, data);
    path = reproduce_path(e, -1, "experiment", ".txt");
    if (!wanted || !path) TRY(run_no_memory(r));
    TRY(agree(e, path, wanted));
done:
    inco_data_free(data);
    free(wanted);
    free(path);
    return status;
}

/* ---- The signals of a seed ---- */

/* The recordings in a random order determined by the seed: the first are for testing. */
static const char **shuffle(const inco_data *data, int64_t seed) {
    const int64_t count = inco_data_files(data);
    unsigned short state[3] = {(unsigned short)(0x330e ^ seed >> 32), (unsigned short)seed,
                               (unsigned short)(seed >> 16)};
    const char **order = calloc((size_t)count, sizeof *order);
    for (int64_t i = 0; order && i < count; i++) order[i] = inco_data_file(data, i);
    for (int64_t i = 0; order && i < count - 1; i++) {
        const int64_t k = i + (int64_t)(erand48(state) * (double)(count - i));
        const char *swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    return order;
}

static int save_signals(run *r, const inco_data *data, const char *path) {
    inco_source source = INCO_INIT(inco_source);
    inco_mat x = {0};
    int status;
    TRY(inco_data_source(data, &source, &r->error));
    TRY(inco_mat_new(&x, source.type, source.dim, source.count, &r->error));
    TRY(source.read(source.self, 0, source.count, x.data, &r->error));
    TRY(inco_save(path, &x, NULL, NULL, &r->error));
done:
    inco_mat_free(&x);
    return status;
}

/* Writes names and numbers of windows of the test recordings, in the order of the windows. */
static int list_test(experiment *e, int64_t seed, const inco_data *data) {
    run *r = e->run;
    inco_origin origin = INCO_INIT(inco_origin);
    char *text = NULL, *path = reproduce_path(e, seed, "test", ".txt");
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int status = inco_data_origin(data, &origin, &r->error);
    for (int64_t i = 0; status >= 0 && out && i < origin.files; i++) {
        const char *name = inco_data_file(data, i), *slash = strrchr(name, '/');
        const int64_t samples = origin.shape[2 * i], windows = (samples + REPRODUCE_DIM - 1) / REPRODUCE_DIM;
        fprintf(out, "%s %lld\n", slash ? slash + 1 : name, (long long)windows);
    }
    const int failed = !out || fclose(out) || !path;
    if (status >= 0 && failed) status = run_no_memory(r);
    if (status >= 0) status = outputs_write(r, path, text, strlen(text));
    inco_origin_free(&origin);
    free(text);
    free(path);
    return status;
}

/* Cuts windows of some recordings into a file of the seed. */
static int cut(experiment *e, int64_t seed, const char *name, const char *const *paths, int count) {
    const int test = !strcmp(name, "test");
    inco_data *data = NULL;
    char *path = reproduce_path(e, seed, name, ".npy");
    int status = INCO_OK;
    if (!path) TRY(run_no_memory(e->run));
    TRY(open_windows(e->run, paths, count, test ? 0 : e->signals, seed, &data));
    if (test) TRY(list_test(e, seed, data));
    TRY(save_signals(e->run, data, path));
done:
    inco_data_free(data);
    free(path);
    return status;
}

int split_make(experiment *e, int64_t seed) {
    run *r = e->run;
    inco_data *data = NULL;
    const char **order = NULL;
    char *folder = reproduce_path(e, seed, "", "");
    int status;
    TRY(make_folder(r, folder));
    if (reproduce_has(e, seed, "train", ".npy") && reproduce_has(e, seed, "test", ".npy")) goto done;
    TRY(open_folder(e, &data));
    order = shuffle(data, seed);
    if (!order) TRY(run_no_memory(r));
    TRY(cut(e, seed, "test", order, REPRODUCE_TEST_FILES));
    TRY(cut(e, seed, "train", order + REPRODUCE_TEST_FILES, (int)inco_data_files(data) - REPRODUCE_TEST_FILES));
done:
    inco_data_free(data);
    free(order);
    free(folder);
    return status;
}
