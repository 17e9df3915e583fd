#include "outputs.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Extensions ---- */

static int ends_with(const char *path, const char *const *endings) {
    const size_t length = strlen(path);
    for (; *endings; endings++) {
        const size_t n = strlen(*endings);
        if (length >= n && !strcasecmp(path + length - n, *endings)) return 1;
    }
    return 0;
}

/* Standard output, a pipe or a device needs no extension. */
static int is_stream(const char *path) {
    struct stat info;
    return !strcmp(path, "-") || !strncmp(path, "/dev/", 5) ||
           (!stat(path, &info) && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

int outputs_is_matrix(const char *path) {
    static const char *const endings[] = {".npy", ".npz", ".csv", ".tsv", ".mat", ".safetensors", NULL};
    return is_stream(path) || ends_with(path, endings);
}

int outputs_is_standard(const char *path) {
    return path && !strcmp(path, "-");
}

void outputs_say(const run *r, const char *path, const char *what) {
    if (outputs_is_standard(path))
        run_say(r, "wrote the %s to standard output", what);
    else
        run_say(r, "wrote %s", path);
}

static int check_ending(run *r, const output *o) {
    static const char *const codes[] = {".npz", ".mat", NULL};
    if (o->kind == OUTPUT_MATRIX && !outputs_is_matrix(o->path))
        return run_fail(r, INCO_EINVAL,
                        "%s '%s': unknown format: the extension must be .npy .npz .csv .tsv .mat or .safetensors",
                        o->option, o->path);
    if (o->kind == OUTPUT_CODES && !is_stream(o->path) && !ends_with(o->path, codes))
        return run_fail(r, INCO_EINVAL, "%s '%s': unknown format: the extension of codes must be .npz or .mat",
                        o->option, o->path);
    return INCO_OK;
}

/* ---- Names of the same file ---- */

/* The real path of the folder, a slash and the name: the same for two names of one file that does not exist yet. */
static char *resolve(const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    char *plain = strndup(path, length), *slash = plain ? strrchr(plain, '/') : NULL;
    const char *name = slash ? slash + 1 : plain;
    char *folder = slash ? strndup(path, (size_t)(slash - plain) + 1) : strdup(".");
    char *real = folder ? realpath(folder, NULL) : NULL;
    char *whole = real && plain ? malloc(strlen(real) + strlen(name) + 2) : NULL;
    if (whole) {
        strcpy(whole, real);
        strcat(whole, "/");
        strcat(whole, name);
    }
    free(plain);
    free(folder);
    free(real);
    return whole;
}

/* Devices and pipes may be named twice; files and folders may not. */
static int same_file(const char *a, const char *b) {
    struct stat first, second;
    int here = !stat(a, &first), there = !stat(b, &second);
    if (here && there)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino &&
               (S_ISREG(first.st_mode) || S_ISDIR(first.st_mode));
    if (here || there) return 0;
    char *one = resolve(a), *two = resolve(b);
    const int same = one && two && !strcmp(one, two);
    free(one);
    free(two);
    return same;
}

/* Returns whether a file `path` exists in `folder`. */
static int is_in(const char *path, const char *folder) {
    struct stat info, home;
    if (stat(folder, &info) || !S_ISDIR(info.st_mode) || access(path, F_OK)) return 0;
    const char *slash = strrchr(path, '/');
    char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int same = parent && !stat(parent, &home) && home.st_dev == info.st_dev && home.st_ino == info.st_ino;
    free(parent);
    return same;
}

/* Returns whether reading `input`, which may be a folder or a pattern, would read the output of an earlier run. */
static int is_read_as(const output *o, const char *input) {
    const int data = o->kind == OUTPUT_MATRIX || o->kind == OUTPUT_CODES;
    if (same_file(o->path, input)) return 1;
    if (data && is_in(o->path, input)) return 1;
    return strpbrk(input, "*?[") && access(o->path, F_OK) == 0 && !fnmatch(input, o->path, FNM_PATHNAME);
}

/* ---- The checks ---- */

static int check_distinct(run *r, const output *outputs, int count) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            if (outputs[i].path && outputs[k].path && !outputs_is_standard(outputs[i].path) &&
                !outputs_is_standard(outputs[k].path) && same_file(outputs[i].path, outputs[k].path))
                return run_fail(r, INCO_EINVAL, "%s and %s name the same file '%s'", outputs[k].option,
                                outputs[i].option, outputs[i].path);
    return INCO_OK;
}

static int check_standard_output(run *r, const output *outputs, int count) {
    const char *user = r->json ? "--json" : NULL, *dash = "";
    for (int i = 0; i < count; i++) {
        if (!outputs_is_standard(outputs[i].path) || outputs[i].kind == OUTPUT_FOLDER) continue;
        if (user)
            return run_fail(r, INCO_EINVAL, "%s%s and %s - both write to standard output: give a file for one of them",
                            user, dash, outputs[i].option);
        user = outputs[i].option;
        dash = " -";
        if (outputs[i].kind != OUTPUT_TEXT && isatty(STDOUT_FILENO))
            return run_fail(r, INCO_EINVAL, "%s - would write binary data to the terminal: redirect it, or give a file",
                            user);
    }
    return INCO_OK;
}

static int check_inputs(run *r, const output *o, const char *const *inputs, int count) {
    for (int i = 0; i < count; i++) {
        if (!inputs[i] || !is_read_as(o, inputs[i])) continue;
        if (same_file(o->path, inputs[i]))
            return run_fail(r, INCO_EINVAL, "%s '%s' is also an input", o->option, o->path);
        return run_fail(r, INCO_EINVAL, "%s '%s' is also an input, through '%s'", o->option, o->path, inputs[i]);
    }
    return INCO_OK;
}

/* An existing folder must be writable; another must be possible to create. */
static int check_folder(run *r, const output *o) {
    struct stat info;
    if (outputs_is_standard(o->path))
        return run_fail(r, INCO_EINVAL, "%s needs a folder, for several files", o->option);
    if (!stat(o->path, &info)) {
        if (S_ISDIR(info.st_mode) && !access(o->path, W_OK | X_OK)) return INCO_OK;
        return run_fail(r, INCO_EIO, "%s '%s' is not a folder in which files can be created", o->option, o->path);
    }
    char *parent = resolve(o->path), *slash = parent ? strrchr(parent, '/') : NULL;
    if (slash) slash[slash == parent] = 0;
    const int fits = parent && !access(parent, W_OK | X_OK);
    free(parent);
    return fits ? INCO_OK : run_fail(r, INCO_EIO, "%s: cannot create the folder '%s'", o->option, o->path);
}

/* Other files are tested by creating and discarding one; a pipe is only examined, since opening it would wait. */
static int check_writable(run *r, const output *o) {
    inco_file *file = NULL;
    if (o->kind == OUTPUT_MATRIX || o->kind == OUTPUT_CODES) return inco_check_output(o->path, &r->error);
    if (o->kind == OUTPUT_MEDIA) return INCO_OK;
    if (o->kind == OUTPUT_FOLDER) return check_folder(r, o);
    if (is_stream(o->path)) {
        if (!access(o->path, W_OK)) return INCO_OK;
        return run_fail(r, INCO_EIO, "%s: cannot write '%s': %s", o->option, o->path, strerror(errno));
    }
    int status = inco_file_create(&file, o->path, &r->error);
    return status < 0 ? status : inco_file_close(file, 0, &r->error);
}

int outputs_check(run *r, const output *outputs, int count, const char *const *inputs, int input_count) {
    int status;
    TRY(check_standard_output(r, outputs, count));
    TRY(check_distinct(r, outputs, count));
    for (int i = 0; i < count; i++) {
        const int standard = outputs_is_standard(outputs[i].path);
        if (!outputs[i].path || (standard && outputs[i].kind != OUTPUT_FOLDER)) continue;
        TRY(check_inputs(r, &outputs[i], inputs, input_count));
        TRY(check_ending(r, &outputs[i]));
        TRY(check_writable(r, &outputs[i]));
    }
done:
    return status;
}

int outputs_write(run *r, const char *path, const char *text, size_t size) {
    inco_file *file = NULL;
    inco_stream stream = INCO_INIT(inco_stream);
    int status = inco_file_create(&file, path, &r->error);
    if (status < 0) return status;
    const int failed = inco_file_stream(file, &stream, NULL) < 0 || stream.write(stream.self, text, size);
    status = inco_file_close(file, !failed, &r->error);
    return failed && status >= 0 ? run_fail(r, INCO_EIO, "cannot write '%s'", path) : status;
}
