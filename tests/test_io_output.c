/* Outputs are atomic. */
#include "test_io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "base/spool.h"
#include "io/leftover.h"
#include "io/output.h"

static void assert_text(const char *path, const char *expected) {
    size_t count;
    unsigned char *bytes = read_bytes(path, &count);
    assert_int_equal(count, strlen(expected));
    assert_memory_equal(bytes, expected, count);
    free(bytes);
}

static mode_t mode_of(const char *path) {
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode;
}

static void write_output(const char *path, const char *text, int keep) {
    output out;
    assert_works(output_open(&out, path, 0, &error));
    assert_int_equal(output_write(&out, text, strlen(text)), 0);
    assert_int_equal(output_finish(&out, keep ? INCO_OK : INCO_EDATA, NULL), keep ? INCO_OK : INCO_EDATA);
}

/* ---- Regular files ---- */

static void kept_and_dropped(void **state) {
    (void)state;
    write_output(in_folder("a"), "one", 0);
    assert_int_equal(entries_in(test_folder), 0);
    write_output(in_folder("a"), "one", 1);
    assert_text(in_folder("a"), "one");
    write_output(in_folder("a"), "two", 0);
    assert_text(in_folder("a"), "one");
    write_output(in_folder("a"), "three", 1);
    assert_text(in_folder("a"), "three");
    assert_int_equal(entries_in(test_folder), 1);
}

static void the_old_file_stays_until_the_end(void **state) {
    (void)state;
    output out;
    write_text("a", "old");
    assert_works(output_open(&out, in_folder("a"), 0, &error));
    output_write(&out, "new", 3);
    assert_text(in_folder("a"), "old");
    assert_true(entries_in(test_folder) <= 2); /* the temporary file may have no name */
    assert_works(output_finish(&out, 0, &error));
    assert_text(in_folder("a"), "new");
    assert_int_equal(entries_in(test_folder), 1);
}

static void names_of_any_length(void **state) {
    (void)state;
    char name[256] = {0};
    memset(name, 'x', 255);
    write_output(in_folder(name), "long", 1);
    assert_text(in_folder(name), "long");
}

static void permissions(void **state) {
    (void)state;
    const mode_t old = umask(027);
    write_output(in_folder("new"), "x", 1);
    assert_int_equal(mode_of(in_folder("new")) & 0777, 0640);
    assert_int_equal(chmod(in_folder("new"), 0604), 0);
    write_output(in_folder("new"), "y", 1);
    assert_int_equal(mode_of(in_folder("new")) & 0777, 0604);
    umask(old);
}

static void links_are_followed(void **state) {
    (void)state;
    assert_int_equal(mkdir(in_folder("sub"), 0700), 0);
    write_text("sub/real", "old");
    assert_int_equal(symlink("sub/real", in_folder("link")), 0);
    assert_int_equal(symlink("link", in_folder("second")), 0);
    assert_int_equal(symlink("sub/not-yet", in_folder("dangling")), 0);
    assert_int_equal(symlink("loop", in_folder("loop")), 0);
    write_output(in_folder("second"), "new", 1);
    write_output(in_folder("dangling"), "made", 1);
    assert_true(S_ISLNK(mode_of(in_folder("second"))) && S_ISLNK(mode_of(in_folder("dangling"))));
    assert_text(in_folder("sub/real"), "new");
    assert_text(in_folder("sub/not-yet"), "made");
    assert_int_equal(entries_in(in_folder("sub")), 2);
    output out;
    assert_fails(output_open(&out, in_folder("loop"), 0, &error), INCO_EIO, "loop");
}

/* ---- Failures ---- */

/* Saves a matrix over the size limit to an existing file, which stays unchanged; no other file is left. */
static void full_disk(const char *name, const char *reason) {
    inco_mat m = some_matrix(INCO_F64, 200, 300);
    size_t before, after;
    inco_mat small = m;
    small.rows = small.cols = small.ld = 3;
    assert_works(inco_save(in_folder(name), &small, NULL, "{}", &error));
    unsigned char *old = read_bytes(in_folder(name), &before);
    limit_files(20000);
    inco_error error = {0};
    int status = inco_save(in_folder(name), &m, NULL, "{}", &error);
    unlimited();
    assert_int_equal(status, INCO_EIO);
    if (!strstr(error.message, name) || !strstr(error.message, reason)) fail_msg("%s", error.message);
    assert_non_null(strstr(error.message, "nothing was written"));
    unsigned char *now = read_bytes(in_folder(name), &after);
    assert_int_equal(before, after);
    assert_memory_equal(old, now, before);
    assert_int_equal(unlink(in_folder(name)), 0);
    assert_int_equal(entries_in(test_folder), 0);
    free(old);
    free(now);
    free(m.data);
}

static void no_room_for_a_file(void **state) {
    (void)state;
    full_disk("m.npy", "File too large");
    full_disk("m.csv", "File too large");
    if (inco_has("npz") == 1) full_disk("m.npz", "File too large");
    if (inco_has("mat") == 1) full_disk("m.mat", "File too large");
}

static void no_room_for_codes(void **state) {
    (void)state;
    int64_t start[2] = {0, 20000};
    inco_csc c = {INCO_F64, 20000, 1, start, calloc(20000, 8), calloc(20000, 8), NULL};
    static const char *const names[] = {"c.npz", "c.mat"}, *const features[] = {"npz", "mat"};
    for (int i = 0; i < 20000; i++) {
        c.index[i] = i;
        ((double *)c.value)[i] = i * 0.7 + 1.0 / (i + 1);
    }
    for (int i = 0; i < 2; i++) {
        if (inco_has(features[i]) != 1) continue;
        inco_error error = {0};
        limit_files(20000);
        int status = inco_save_codes(in_folder(names[i]), &c, NULL, &error);
        unlimited();
        assert_int_equal(status, INCO_EIO);
        assert_non_null(strstr(error.message, "File too large"));
        assert_int_equal(entries_in(test_folder), 0);
    }
    free(c.index);
    free(c.value);
}

static void no_room_for_sound_and_pictures(void **state) {
    (void)state;
    inco_mat signals = some_matrix(INCO_F32, 300, 300);
    static const char *const names[] = {"s.wav", "s.flac", "s.ogg", "s.png", "s.pgm"};
    uint32_t noise = 1; /* hardly compressible */
    for (int64_t k = 0; k < 90000; k++)
        ((float *)signals.data)[k] = (float)((noise = noise * 1664525 + 1013904223) >> 8) * 0x1p-24f;
    for (int i = 0; i < 5; i++) {
        const int audio = i < 3;
        int64_t shape[2] = {audio ? 90000 : 300, audio ? 1 : 300};
        inco_origin o = {.size = sizeof o, .files = 1, .shape = shape, .signals = 300};
        if (audio)
            o.kind = 1, o.window = o.hop = 300, o.rate = 8000;
        else
            o.kind = 2, o.patch_rows = o.hop = 1, o.patch_cols = 300;
        if (inco_has(audio ? "audio" : "png") != 1 && i != 4) continue;
        inco_error error = {0};
        limit_files(5000);
        int status = inco_save_decoded(in_folder(names[i]), &signals, &o, &error);
        unlimited();
        if (status != INCO_EIO || !strstr(error.message, "File too large") || !strstr(error.message, names[i]))
            fail_msg("%s: %d %s", names[i], status, error.message);
        assert_int_equal(entries_in(test_folder), 0);
    }
    free(signals.data);
}

/* The same on a full tmpfs, if one can be mounted. */
static void full_tmpfs(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F64, 200, 300);
    static const char *const names[] = {"disk/m.npy", "disk/m.csv", "disk/m.npz", "disk/m.mat"};
    assert_int_equal(mkdir(in_folder("disk"), 0700), 0);
    if (mount("tmpfs", in_folder("disk"), "tmpfs", 0, "size=64k") < 0) {
        free(m.data);
        print_message("no privilege to mount a small disk\n");
        skip();
    }
    for (int i = 0; i < 4; i++) {
        if ((i == 2 && inco_has("npz") != 1) || (i == 3 && inco_has("mat") != 1)) continue;
        inco_error error = {0};
        int status = inco_save(in_folder(names[i]), &m, NULL, NULL, &error);
        if (status != INCO_EIO || !strstr(error.message, "No space left")) fail_msg("%d: %s", status, error.message);
        assert_int_equal(entries_in(in_folder("disk")), 0);
    }
    assert_int_equal(umount(in_folder("disk")), 0);
    free(m.data);
}

static void places_that_cannot_be_written(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F32, 2, 2);
    assert_int_equal(mkdir(in_folder("folder.npy"), 0700), 0);
    assert_fails(inco_save(in_folder("none/m.npy"), &m, NULL, NULL, &error), INCO_EIO, "there is no folder");
    assert_fails(inco_save(in_folder("folder.npy"), &m, NULL, NULL, &error), INCO_EIO, "it is a folder");
    assert_fails(inco_save(in_folder("m.xyz"), &m, NULL, NULL, &error), INCO_EINVAL,
                 ".npy .npz .csv .tsv .mat .safetensors");
    assert_fails(inco_save(in_folder("m.wav"), &m, NULL, NULL, &error), INCO_EINVAL,
                 "a matrix to write must be one of");
    m.cols = 0;
    assert_fails(inco_save(in_folder("m.npy"), &m, NULL, NULL, &error), INCO_EINVAL, "2 x 0");
    assert_int_equal(entries_in(test_folder), 1);
    free(m.data);
}

/* In a child process as another user: root may write everywhere. */
static void without_permission(void **state) {
    (void)state;
    write_text("locked.npy", "old");
    assert_int_equal(chmod(in_folder("locked.npy"), 0444), 0);
    assert_int_equal(mkdir(in_folder("closed"), 0755), 0);
    if (geteuid() != 0)
        assert_int_equal(chmod(in_folder("closed"), 0555), 0);
    else
        assert_int_equal(chmod(test_folder, 0755), 0);
    pid_t child = fork();
    if (child == 0) {
        inco_error a = {0}, b = {0};
        inco_mat m = some_matrix(INCO_F32, 2, 2);
        if (geteuid() == 0 && (setgid(65534) || setuid(65534))) _exit(9);
        int first = inco_save(in_folder("locked.npy"), &m, NULL, NULL, &a);
        int second = inco_check_output(in_folder("closed/m.npy"), &b);
        _exit(first != INCO_EIO || !strstr(a.message, "Permission denied")    ? 1
              : second != INCO_EIO || !strstr(b.message, "Permission denied") ? 2
                                                                              : 0);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), 0);
    assert_text(in_folder("locked.npy"), "old");
}

/* ---- Devices and pipes ---- */

static void devices_are_written_directly(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F64, 200, 300);
    assert_int_equal(symlink("/dev/full", in_folder("full.npy")), 0);
    assert_int_equal(symlink("/dev/full", in_folder("full.npz")), 0);
    assert_int_equal(symlink("/dev/null", in_folder("null.npz")), 0);
    assert_fails(inco_save(in_folder("full.npy"), &m, NULL, NULL, &error), INCO_EIO, "No space left on device");
    if (inco_has("npz") == 1) {
        assert_fails(inco_save(in_folder("full.npz"), &m, NULL, NULL, &error), INCO_EIO, "No space left on device");
        assert_works(inco_save(in_folder("null.npz"), &m, NULL, NULL, &error));
    }
    assert_true(S_ISLNK(mode_of(in_folder("full.npy"))));
    assert_int_equal(access("/dev/null", F_OK), 0);
    free(m.data);
}

/* Standard output of a child goes to a file through a pipe. */
static void save_to_stdout(const char *name, int (*save)(inco_error *error)) {
    char command[400];
    snprintf(command, sizeof command, "cat > %s", in_folder(name));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        FILE *pipe = popen(command, "w");
        inco_error error = {0};
        if (!pipe || dup2(fileno(pipe), STDOUT_FILENO) < 0) _exit(9);
        int status = save(&error);
        close(STDOUT_FILENO);
        _exit(status == 0 && pclose(pipe) == 0 ? 0 : 1);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

static int save_matrix(inco_error *error) {
    inco_mat m = some_matrix(INCO_F32, 60, 700);
    int status = inco_save("-", &m, NULL, NULL, error);
    free(m.data);
    return status;
}

static int save_codes(inco_error *error) {
    static int64_t start[] = {0, 1, 2};
    static int64_t index[] = {3, 1};
    static double value[] = {0.5, 0.25};
    return inco_save_codes("-", &(inco_csc){INCO_F64, 4, 2, start, index, value, NULL}, NULL, error);
}

static void standard_output(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F32, 60, 700), back;
    inco_csc c;
    save_to_stdout("m.npy", save_matrix);
    assert_works(inco_load(in_folder("m.npy"), NULL, &back, &error));
    assert_same(&m, &back);
    inco_mat_free(&back);
    free(m.data);
    if (inco_has("npz") != 1) return;
    save_to_stdout("c.npz", save_codes);
    assert_works(inco_load_codes(in_folder("c.npz"), NULL, &c, NULL, &error));
    assert_int_equal(c.cols, 2);
    assert_int_equal(c.index[0], 3);
    inco_csc_free(&c);
}

/* ---- Checks in advance ---- */

static void check_output(void **state) {
    (void)state;
    write_text("old.npy", "old");
    assert_int_equal(mkdir(in_folder("folder.npy"), 0700), 0);
    assert_int_equal(mkdir(in_folder("used"), 0700), 0);
    write_text("used/a", "a");
    assert_works(inco_check_output("-", &error));
    assert_works(inco_check_output(in_folder("new.npy"), &error));
    assert_works(inco_check_output(in_folder("old.npy"), &error));
    assert_works(inco_check_output(in_folder("new.PGM"), &error));
    assert_works(inco_check_output(in_folder("new-folder/"), &error));
    assert_works(inco_check_output("/dev/null", &error));
    assert_fails(inco_check_output(in_folder("none/new.npy"), &error), INCO_EIO, "there is no folder");
    assert_fails(inco_check_output(in_folder("folder.npy"), &error), INCO_EIO, "it is a folder");
    assert_fails(inco_check_output(in_folder("new"), &error), INCO_EINVAL, "a file to write must be one of .npy");
    assert_fails(inco_check_output(in_folder("new.mp3"), &error), INCO_EINVAL, "must be one of");
    assert_fails(inco_check_output(in_folder("used/"), &error), INCO_EIO, "not empty");
    assert_fails(inco_check_output(in_folder("old.npy/"), &error), INCO_EIO, "this is not one");
    assert_text(in_folder("old.npy"), "old");
    assert_int_equal(entries_in(test_folder), 3);
    assert_int_equal(mkfifo(in_folder("pipe.npy"), 0600), 0);
    assert_works(inco_check_output(in_folder("pipe.npy"), &error)); /* without waiting for a reader */
}

static void features(void **state) {
    static const char *const names[] = {"npz", "audio", "resample", "png", "mat"};
    (void)state;
    for (int i = 0; i < 5; i++) assert_in_range(inco_has(names[i]), 0, 1);
    assert_int_equal(inco_has("telepathy"), -1);
    assert_int_equal(inco_has(""), -1);
}

/* ---- Streams ---- */

static void streams(void **state) {
    (void)state;
    inco_file *file;
    inco_stream stream = INCO_INIT(inco_stream);
    char bytes[8] = "";
    const char *path = in_folder("checkpoint");
    assert_works(inco_file_create(&file, path, &error));
    assert_works(inco_file_stream(file, &stream, &error));
    assert_int_equal(stream.write(stream.self, "12345", 5), 0);
    assert_works(inco_file_close(file, 0, &error));
    assert_int_equal(entries_in(test_folder), 0);
    assert_works(inco_file_create(&file, path, &error));
    assert_works(inco_file_stream(file, &stream, &error));
    assert_int_equal(stream.write(stream.self, "12345", 5), 0);
    assert_works(inco_file_close(file, 1, &error));
    assert_works(inco_file_close(file, 1, &error)); /* closing twice is harmless */
    assert_text(path, "12345");
    assert_works(inco_file_open(&file, path, &error));
    assert_works(inco_file_stream(file, &stream, &error));
    assert_int_equal(stream.read(stream.self, bytes, 3), 0);
    assert_string_equal(bytes, "123");
    assert_true(stream.read(stream.self, bytes, 3) != 0);
    assert_int_equal(stream.read(stream.self, bytes, 2), 0);
    assert_string_equal(bytes, "453");
    assert_works(inco_file_close(file, 1, &error));
    assert_fails(inco_file_open(&file, in_folder("none"), &error), INCO_EIO, "No such file");
    assert_fails(inco_file_create(&file, in_folder("none/x"), &error), INCO_EIO, "there is no folder");
}

static void a_stream_that_fails_is_dropped(void **state) {
    (void)state;
    inco_file *file;
    inco_stream stream = INCO_INIT(inco_stream);
    char *bytes = calloc(1, 200000);
    write_text("checkpoint", "old");
    assert_works(inco_file_create(&file, in_folder("checkpoint"), &error));
    assert_works(inco_file_stream(file, &stream, &error));
    limit_files(100000);
    assert_true(stream.write(stream.self, bytes, 200000) != 0);
    assert_true(stream.write(stream.self, bytes, 1) != 0);
    unlimited();
    assert_fails(inco_file_close(file, 1, &error), INCO_EIO, "checkpoint: File too large");
    assert_text(in_folder("checkpoint"), "old");
    assert_int_equal(entries_in(test_folder), 1);
    free(bytes);
}

/* ---- Leftovers of killed processes ---- */

static void a_killed_process_leaves_nothing(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F64, 7, 5);
    for (int turn = 0; turn < 3; turn++) {
        const pid_t child = fork();
        if (child == 0) { /* dies while a file, or a folder, is being written */
            output o;
            output_folder folder;
            if (turn == 2) {
                output_folder_open(&folder, in_folder("out"), NULL);
                output_open(&o, in_folder("out2"), 0, NULL);
            } else {
                output_open(&o, in_folder("x.npy"), 0, NULL);
            }
            output_write(&o, "some bytes", 10);
            if (turn == 1) { /* between the name and the renaming: as on a system that has no unnamed files */
                FILE *left = fopen(in_folder(".inco-1f-2e-0"), "w");
                fclose(left);
            }
            raise(SIGKILL);
        }
        assert_int_equal(waitpid(child, NULL, 0), child);
        if (turn == 0) assert_int_equal(entries_in(test_folder), 0); /* it had no name */
        if (turn == 1) assert_int_equal(entries_in(test_folder), 2); /* and x.npy of the turn before */
        assert_works(inco_save(in_folder("x.npy"), &m, NULL, NULL, &error));
        assert_int_equal(entries_in(test_folder), 1);
    }
    free(m.data);
}

/* A living process keeps its temporary files, named or not. */
static void leftovers_of_the_living_stay(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F64, 7, 5);
    output_folder folder;
    output o;
    assert_works(output_folder_open(&folder, in_folder("out"), &error));
    const int fd = open(in_folder(".inco-1-2-3"), O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    leftover_lock(fd);
    fclose(fopen(in_folder(".inco-is-mine"), "w"));
    assert_works(output_open(&o, in_folder("y"), 0, &error));
    assert_works(inco_save(in_folder("x.npy"), &m, NULL, NULL, &error));
    assert_int_equal(entries_in(test_folder), 4);
    assert_works(output_finish(&o, INCO_OK, &error));
    assert_works(output_folder_finish(&folder, INCO_OK, &error));
    close(fd);
    assert_works(inco_save(in_folder("x.npy"), &m, NULL, NULL, &error));
    assert_int_equal(entries_in(test_folder), 4); /* x.npy, y, out, .inco-is-mine */
    free(m.data);
}

/* ---- Temporary files ---- */

/* Writes over the folder's limit of size: the error says what to do. */
static void spools(void **state) {
    (void)state;
    const char *before = getenv("TMPDIR");
    char *saved = before ? strdup(before) : NULL, bytes[100] = "abc", back[4] = "";
    struct rlimit size, small;
    spool s = {0};
    assert_int_equal(setenv("TMPDIR", in_folder("none"), 1), 0);
    assert_fails(spool_append(&s, bytes, 3, &error), INCO_EIO, "set TMPDIR to another folder");
    assert_int_equal(s.fd, 0);
    assert_int_equal(setenv("TMPDIR", test_folder, 1), 0);
    assert_works(spool_append(&s, "abc", 3, &error));
    assert_works(spool_append(&s, "def", 3, &error));
    assert_works(spool_write(&s, 2, "C", 1, &error));
    assert_works(spool_read(&s, 1, back, 3, &error));
    assert_string_equal(back, "bCd");
    assert_true(s.used == 6 && entries_in(test_folder) == 0);
    assert_fails(spool_read(&s, 4, back, 3, &error), INCO_EIO, "cannot read a temporary file");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &size), 0);
    small = size;
    small.rlim_cur = 50;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    inco_error error = {0};
    const int status = spool_append(&s, bytes, sizeof bytes, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &size), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, INCO_EIO);
    assert_non_null(strstr(error.message, "set TMPDIR to a folder with more space"));
    spool_free(&s);
    if (saved) setenv("TMPDIR", saved, 1);
    if (!saved) unsetenv("TMPDIR");
    free(saved);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        each_test(kept_and_dropped),
        each_test(the_old_file_stays_until_the_end),
        each_test(names_of_any_length),
        each_test(permissions),
        each_test(links_are_followed),
        each_test(no_room_for_a_file),
        each_test(no_room_for_codes),
        each_test(no_room_for_sound_and_pictures),
        each_test(full_tmpfs),
        each_test(places_that_cannot_be_written),
        each_test(without_permission),
        each_test(devices_are_written_directly),
        each_test(standard_output),
        each_test(check_output),
        each_test(features),
        each_test(streams),
        each_test(a_stream_that_fails_is_dropped),
        each_test(a_killed_process_leaves_nothing),
        each_test(leftovers_of_the_living_stay),
        each_test(spools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
