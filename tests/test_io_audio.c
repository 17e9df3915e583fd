/* Audio through libsndfile: reading, resampling, reassembly. */
#include "test_io.h"

#include <math.h>

#ifdef INCO_HAVE_AUDIO
#include <sndfile.h>

/* A sine of `hertz` in the first channel, its double in the second. */
static const char *make(const char *name, int format, int rate, int channels, int frames) {
    const char *path = in_folder(name);
    SF_INFO info = {.samplerate = rate, .channels = channels, .format = format};
    SNDFILE *file = sf_open(path, SFM_WRITE, &info);
    assert_non_null(file);
    for (int i = 0; i < frames; i++) {
        float frame[2] = {(float)(0.25 * sin(2 * M_PI * 200 * i / rate)), 0};
        frame[1] = 2 * frame[0];
        assert_int_equal(sf_writef_float(file, frame, 1), 1);
    }
    assert_int_equal(sf_close(file), 0);
    return path;
}

/* All windows of the files. */
static int load(const char *path, const char *options_text, inco_mat *m, inco_origin *origin, inco_error *error) {
    inco_options *options = inco_options_new();
    inco_data *data = NULL;
    char text[200], *save = NULL;
    int status = INCO_OK;
    snprintf(text, sizeof text, "%s", options_text);
    for (char *word = strtok_r(text, " =", &save); word && !status; word = strtok_r(NULL, " =", &save))
        status = inco_options_set(options, word, strtok_r(NULL, " =", &save), error);
    if (!status) status = inco_data_open(&data, &path, 1, options, error);
    if (!status) {
        const inco_source all = test_source(data), *s = &all;
        assert_string_equal(inco_data_kind(data), "audio");
        status = inco_mat_new(m, s->type, s->dim, s->count, error);
        if (!status) status = s->read(s->self, 0, s->count, m->data, error);
    }
    if (!status && origin) status = inco_data_origin(data, origin, error);
    inco_data_free(data);
    inco_options_free(options);
    return status;
}

static double sine(int i, int rate) {
    return 0.25 * sin(2 * M_PI * 200 * i / rate);
}

static void formats(void **state) {
    (void)state;
    static const struct one {
        const char *name;
        int format;
        double tolerance;
    } cases[] = {{"a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 1e-4},   {"a.WAV", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 1e-7},
                 {"a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1e-4}, {"a.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 0.03},
                 {"a.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_24, 1e-6}, {"a.au", SF_FORMAT_AU | SF_FORMAT_ULAW, 0.01}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        inco_mat m;
        assert_works(load(make(cases[i].name, cases[i].format, 8000, 1, 1000), "window=100", &m, NULL, &error));
        assert_int_equal(m.type, INCO_F32);
        assert_int_equal(m.rows, 100);
        assert_int_equal(m.cols, 10);
        for (int k = 0; k < 1000; k++)
            if (fabs(entry(&m, k % 100, k / 100) - sine(k, 8000)) > cases[i].tolerance)
                fail_msg("%s: sample %d is %g, not %g", cases[i].name, k, entry(&m, k % 100, k / 100), sine(k, 8000));
        inco_mat_free(&m);
    }
}

static void channels_are_averaged(void **state) {
    (void)state;
    inco_mat m;
    const char *path = make("a.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 2, 200);
    assert_works(load(path, "window=200", &m, NULL, &error));
    for (int k = 0; k < 200; k++) assert_true(fabs(entry(&m, k, 0) - 1.5 * sine(k, 8000)) < 1e-6);
    inco_mat_free(&m);
}

static void rates(void **state) {
    (void)state;
    inco_mat m;
    inco_origin origin = INCO_INIT(inco_origin);
    const char *path = make("a.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 16000, 1, 3200);
    assert_works(load(path, "window=400", &m, &origin, &error));
    assert_true(origin.rate == 16000);
    inco_mat_free(&m);
    inco_origin_free(&origin);
    if (inco_has("resample") != 1) {
        assert_fails(load(path, "window=400 rate=8000", &m, NULL, &error), INCO_ENOTBUILT, "libsamplerate0-dev");
        return;
    }
    assert_works(load(path, "window=1600 rate=8000", &m, &origin, &error));
    assert_int_equal(m.cols, 1);
    assert_int_equal(origin.shape[0], 1600);
    assert_true(origin.rate == 8000);
    for (int k = 100; k < 1500; k++) /* away from the ends, which the filter pads with zeros */
        if (fabs(entry(&m, k, 0) - sine(k, 8000)) > 1e-3) fail_msg("sample %d: %g", k, entry(&m, k, 0) - sine(k, 8000));
    inco_mat_free(&m);
    inco_origin_free(&origin);
    assert_works(load(path, "window=10 rate=16000", &m, NULL, &error)); /* its own rate: unchanged */
    inco_mat_free(&m);
    assert_fails(load(path, "window=10 rate=10", &m, NULL, &error), INCO_EINVAL, "ratio");
    make("b.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 44100, 1, 3200);
    assert_fails(load(test_folder, "window=10", &m, NULL, &error), INCO_EDATA, "a.wav is at 16000 Hz");
    assert_fails(load(test_folder, "window=10", &m, NULL, &error), INCO_EDATA,
                 "b.wav at 44100 Hz: give option 'rate' to resample them to one rate");
    assert_works(load(test_folder, "window=10 rate=8000", &m, NULL, &error));
    inco_mat_free(&m);
}

static void what_is_refused(void **state) {
    (void)state;
    inco_mat m;
    size_t count;
    const char *path = make("a.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 8000, 1, 100);
    assert_fails(load(path, "hop=10", &m, NULL, &error), INCO_EINVAL, "a.wav is audio: give option 'window'");
    assert_fails(load(path, "window=10 patch=8x8", &m, NULL, &error), INCO_EINVAL, "option 'patch' applies to images");
    assert_fails(load(path, "window=10 hop=5 signals=3", &m, NULL, &error), INCO_EINVAL,
                 "option 'signals' draws at random, option 'hop' takes all");
    assert_fails(load(path, "window=200 signals=3", &m, NULL, &error), INCO_EDATA,
                 "no file has as many samples as the window of 200");
    assert_fails(load(path, "window=91 signals=11", &m, NULL, &error), INCO_EDATA,
                 "option 'signals' is 11, but there are only 10 windows");
    assert_fails(load(write_text("bad.wav", "RIFFnonsense"), "window=10", &m, NULL, &error), INCO_EFORMAT,
                 "bad.wav: cannot be read as audio");
    assert_fails(load(write_text("bad.flac", ""), "window=10", &m, NULL, &error), INCO_EFORMAT, "bad.flac is empty");
    assert_fails(load(in_folder("none.wav"), "window=10", &m, NULL, &error), INCO_EIO, "No such file");
    path = make("long.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 8000, 1, 30000);
    unsigned char *bytes = read_bytes(path, &count);
    assert_fails(load(write_bytes("cut.flac", bytes, count / 2), "window=10", &m, NULL, &error), INCO_EFORMAT,
                 "truncated");
    free(bytes);
}

static void nan_is_refused(void **state) {
    (void)state;
    inco_mat m;
    const char *path = in_folder("nan.wav");
    SF_INFO info = {.samplerate = 8000, .channels = 1, .format = SF_FORMAT_WAV | SF_FORMAT_FLOAT};
    SNDFILE *file = sf_open(path, SFM_WRITE, &info);
    const float samples[] = {1, 2, NAN, 4};
    sf_write_float(file, samples, 4);
    sf_close(file);
    assert_fails(load(path, "window=2", &m, NULL, &error), INCO_EDATA, "nan.wav: NaN at sample 2 (counted from 0)");
}

/* ---- Windows in order, and back ---- */

static void cut_and_put_back(void **state) {
    (void)state;
    static const char *const cuts[] = {"window=100",     "window=100 hop=30", "window=100 hop=99",
                                       "window=7 hop=1", "window=2000",       "window=1000"};
    static const int counts[] = {11, 32, 11, 1021, 1, 2};
    static const char *const names[] = {"out.wav", "out.flac", "out.aiff", "out.au"};
    const char *path = make("a.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 1, 1027);
    for (int i = 0; i < 6; i++) {
        inco_mat m, back;
        inco_origin origin = INCO_INIT(inco_origin);
        assert_works(load(path, cuts[i], &m, &origin, &error));
        assert_int_equal(origin.kind, 1);
        assert_int_equal(m.cols, counts[i]);
        const char *out = in_folder(names[i % 4]);
        assert_works(inco_save_decoded(out, &m, &origin, &error));
        assert_works(load(out, "window=1027", &back, NULL, &error));
        assert_int_equal(back.cols, 1); /* the length is that of the file, not of the windows */
        for (int k = 0; k < 1027; k++) assert_true(fabs(entry(&back, k, 0) - sine(k, 8000)) < 1e-6);
        inco_mat_free(&m);
        inco_mat_free(&back);
        inco_origin_free(&origin);
    }
}

static void windows_further_apart_than_long(void **state) {
    (void)state;
    inco_mat m, back;
    inco_origin origin = INCO_INIT(inco_origin);
    const char *path = make("a.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 1, 100);
    assert_works(load(path, "window=10 hop=30", &m, &origin, &error));
    assert_int_equal(m.cols, 4); /* at 0, 30, 60, 90 */
    assert_works(inco_save_decoded(in_folder("out.wav"), &m, &origin, &error));
    assert_works(load(in_folder("out.wav"), "window=100", &back, NULL, &error));
    assert_true(entry(&back, 25, 0) == 0 && entry(&back, 95, 0) != 0);
    inco_mat_free(&m);
    inco_mat_free(&back);
    inco_origin_free(&origin);
    assert_works(load(path, "window=10 hop=95", &m, NULL, &error));
    assert_int_equal(m.cols, 2);
    assert_true(entry(&m, 5, 1) == 0); /* padded */
    inco_mat_free(&m);
    assert_works(load(path, "window=10 hop=100", &m, NULL, &error));
    assert_int_equal(m.cols, 1); /* none begins after the end */
    inco_mat_free(&m);
}

static void decoded_values_are_kept(void **state) {
    (void)state;
    float values[4] = {1, 2, 3, 4};
    int64_t shape[2] = {4, 1};
    const inco_mat signals = {INCO_F32, 2, 2, 2, values, NULL};
    inco_origin o = {
        .size = sizeof o, .kind = 1, .window = 2, .hop = 2, .rate = 8000, .files = 1, .shape = shape, .signals = 2};
    inco_mat back;
    assert_works(inco_save_decoded(in_folder("out.wav"), &signals, &o, &error));
    assert_works(load(in_folder("out.wav"), "window=4", &back, NULL, &error));
    for (int k = 0; k < 4; k++) assert_true(entry(&back, k, 0) == (double)values[k]); /* floats are not clipped */
    inco_mat_free(&back);
}

static void several_files_go_to_a_folder(void **state) {
    (void)state;
    inco_mat m, back;
    inco_origin origin = INCO_INIT(inco_origin);
    assert_int_equal(mkdir(in_folder("in"), 0700), 0);
    make("in/a.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 1, 250);
    make("in/b.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 2, 130);
    make("in/c.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 8000, 1, 20); /* shorter than a window */
    assert_works(load(in_folder("in"), "window=100 hop=50", &m, &origin, &error));
    assert_int_equal(origin.files, 3);
    assert_int_equal(m.cols, 4 + 2 + 1);
    assert_fails(inco_save_decoded(in_folder("out.wav"), &m, &origin, &error), INCO_EINVAL,
                 "from 3 files: the output must be a folder");
    assert_works(inco_save_decoded(in_folder("out"), &m, &origin, &error));
    assert_int_equal(entries_in(in_folder("out")), 3);
    assert_works(load(in_folder("out/00001.wav"), "window=130", &back, NULL, &error));
    assert_int_equal(back.cols, 1);
    for (int k = 0; k < 130; k++) assert_true(fabs(entry(&back, k, 0) - 1.5 * sine(k, 8000)) < 1e-6);
    inco_mat_free(&back);
    assert_fails(inco_save_decoded(in_folder("out"), &m, &origin, &error), INCO_EIO, "not empty");
    assert_int_equal(mkdir(in_folder("empty"), 0700), 0);
    assert_works(inco_save_decoded(in_folder("empty/"), &m, &origin, &error)); /* an empty folder is accepted */
    assert_int_equal(entries_in(in_folder("empty")), 3);
    limit_files(1000);
    inco_error error = {0};
    int status = inco_save_decoded(in_folder("third"), &m, &origin, &error);
    unlimited();
    assert_int_equal(status, INCO_EIO);
    assert_non_null(strstr(error.message, "third/00000.wav: File too large"));
    assert_int_equal(entries_in(test_folder), 3); /* in, out, empty: nothing else is left */
    inco_mat_free(&m);
    inco_origin_free(&origin);
}

static void origins_that_do_not_fit(void **state) {
    (void)state;
    inco_mat m = some_matrix(INCO_F32, 10, 5);
    int64_t shape[2] = {50, 1};
    inco_origin o = {.size = sizeof o, .kind = 1, .window = 10, .hop = 10, .rate = 8000, .files = 1, .shape = shape};
    const char *path = in_folder("out.wav");
    assert_works(inco_save_decoded(path, &m, &o, &error));
    shape[0] = 51;
    assert_fails(inco_save_decoded(path, &m, &o, &error), INCO_EDIM, "5 signals do not fit the files they came from");
    shape[0] = 50, o.window = 9;
    assert_fails(inco_save_decoded(path, &m, &o, &error), INCO_EDIM, "signals of 10 values do not fit windows of 9");
    o.window = 10, o.hop = 0;
    assert_fails(inco_save_decoded(path, &m, &o, &error), INCO_EINVAL, "is invalid");
    o.hop = 10, shape[1] = 2;
    assert_fails(inco_save_decoded(path, &m, &o, &error), INCO_EINVAL, "is invalid");
    shape[1] = 1;
    assert_fails(inco_save_decoded(in_folder("out.png"), &m, &o, &error), INCO_EINVAL,
                 "the extension of audio to write must be one of .wav");
    o.kind = 0;
    assert_fails(inco_save_decoded(path, &m, &o, &error), INCO_EINVAL, "write a matrix, such as .npy");
    free(m.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        each_test(formats),
        each_test(channels_are_averaged),
        each_test(rates),
        each_test(what_is_refused),
        each_test(nan_is_refused),
        each_test(cut_and_put_back),
        each_test(windows_further_apart_than_long),
        each_test(decoded_values_are_kept),
        each_test(several_files_go_to_a_folder),
        each_test(origins_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void audio_is_not_built(void **state) {
    (void)state;
    const char *path = write_text("a.wav", "x");
    inco_data *data;
    inco_options *options = options_with("window", "10");
    assert_fails(inco_data_open(&data, &path, 1, options, &error), INCO_ENOTBUILT, "libsndfile1-dev");
    inco_options_free(options);
}

int main(void) {
    const struct CMUnitTest tests[] = {each_test(audio_is_not_built)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
