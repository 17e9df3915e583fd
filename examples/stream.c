/* Learns from signals that are made as they are asked for, so that no more than a block of them is ever in memory,
 * shows the progress, then codes new signals of the same kind.
 *
 *   cc stream.c $(pkg-config --cflags --libs inco) -lm -o stream && ./stream
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <inco/inco.h>

enum { DIM = 32, ATOMS = 64, SIGNALS = 5000 };

/* A decaying tone. Pitch, phase and decay depend only on the number of the signal: `read` may be called in any order,
 * and from several threads at once (`concurrent`). */
static void make_tone(int64_t n, float *out) {
    const double x = fmod(0.6180339887 * (double)n, 1), y = fmod(0.7548776662 * (double)n, 1);
    for (int i = 0; i < DIM; i++) out[i] = (float)(exp(-4 * y * i / DIM) * cos(3 * x * i + 6 * y));
}

static int read_tones(void *self, int64_t first, int64_t count, void *out, inco_error *error) {
    const int64_t *offset = self;
    for (int64_t n = 0; n < count; n++) make_tone(*offset + first + n, (float *)out + n * DIM);
    (void)error;
    return INCO_OK;
}

static inco_source tones(int64_t *offset, int64_t count) {
    return (inco_source){.size = sizeof(inco_source),
                         .dim = DIM,
                         .count = count,
                         .type = INCO_F32,
                         .self = offset,
                         .read = read_tones,
                         .concurrent = 1};
}

static int show(void *self, const inco_progress *now) {
    (void)self;
    if (!strcmp(now->phase, "iteration"))
        printf("iteration %2lld of %lld: error %.4f, coherence %.4f\n", (long long)now->iteration,
               (long long)now->iterations, now->relative_error, now->coherence_rms);
    return 0; /* another value would stop the run */
}

static int encode(const inco_mat *dictionary, const inco_source *source, const inco_options *options,
                  inco_error *error) {
    inco_encode_info info = INCO_INIT(inco_encode_info);
    inco_csc codes = {0};
    int status = inco_encode(dictionary, source, options, &codes, &info, error);
    if (status >= 0)
        printf("%lld new signals: %.1f atoms each, %.1f dB\n", (long long)info.signals, info.mean_cardinality,
               info.snr_db);
    inco_csc_free(&codes);
    return status;
}

int main(void) {
    int64_t start = 0, later = SIGNALS;
    inco_source training = tones(&start, SIGNALS), fresh = tones(&later, SIGNALS / 10);
    inco_options *options = inco_options_new();
    inco_mat dictionary = {0};
    inco_error error = {0};
    int status = options ? INCO_OK : INCO_ENOMEM;
    if (status >= 0) status = inco_options_set_number(options, "atoms", ATOMS, &error);
    if (status >= 0) status = inco_options_set_number(options, "iterations", 5, &error);
    if (status >= 0) status = inco_options_set(options, "coder", "omp", &error);
    if (status >= 0) status = inco_options_set_number(options, "tolerance", 0.1, &error);
    if (status >= 0) status = inco_options_on_progress(options, show, NULL, sizeof(inco_progress), &error);
    if (status >= 0) status = inco_learn(&training, options, &dictionary, NULL, &error);
    if (status >= 0) status = encode(&dictionary, &fresh, options, &error);
    if (status < 0) fprintf(stderr, "%s: %s\n", inco_strerror(status), error.message);
    inco_mat_free(&dictionary);
    inco_options_free(options);
    return status < 0;
}
