/* Residuals of the test recordings as a listener weighs them. The median over windows, Figure 2 of the paper, counts a
 * pause as much as a vowel; here are ||R|| / ||X|| of whole recordings, and the windows of speech and pauses apart. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

enum { PARTS = 3 };
static const char *const lists[PARTS] = {"recording_residual", "speech_residual", "pause_residual"};

typedef struct speech {
    inco_mat x;                        /* all windows, in double */
    double *energy, *residual;         /* per window: ||x||^2, ||x - D c||^2 */
    unsigned char *pause;              /* per window */
    int64_t end[REPRODUCE_TEST_FILES]; /* one past the last window of a recording */
    double *share;                     /* workspace */
    inco_options *options;
} speech;

/* ---- The recordings ---- */

/* The windows of each recording, from test.txt: a name and a number per line. */
static int read_ends(const experiment *e, int64_t seed, speech *s) {
    char line[4096], *path = reproduce_path(e, seed, "test", ".txt");
    FILE *in = path ? fopen(path, "r") : NULL;
    int64_t sum = 0;
    int files = 0;
    while (in && files < REPRODUCE_TEST_FILES && fgets(line, sizeof line, in)) {
        const char *space = strrchr(line, ' ');
        sum += space ? strtoll(space, NULL, 10) : 0;
        s->end[files++] = sum;
    }
    if (in) fclose(in);
    int status = INCO_OK;
    if (files < REPRODUCE_TEST_FILES || sum != s->x.cols)
        status = run_fail(e->run, INCO_EFORMAT, "'%s' does not list the windows of test.npy: delete the folder",
                          path ? path : "test.txt");
    free(path);
    return status;
}

static void fill(speech *s, const inco_mat *from) {
    for (int64_t n = 0; n < from->cols; n++) {
        double *to = (double *)s->x.data + n * s->x.ld;
        s->energy[n] = 0;
        for (int64_t i = 0; i < from->rows; i++) {
            const int64_t at = i + n * from->ld;
            to[i] = from->type == INCO_F32 ? ((const float *)from->data)[at] : ((const double *)from->data)[at];
            s->energy[n] += to[i] * to[i];
        }
    }
}

/* A window is a pause if its energy is less than a tenth of the mean over the windows of its recording. */
static void find_pauses(speech *s) {
    int64_t first = 0;
    for (int f = 0; f < REPRODUCE_TEST_FILES; first = s->end[f++]) {
        double sum = 0;
        for (int64_t n = first; n < s->end[f]; n++) sum += s->energy[n];
        const double limit = REPRODUCE_PAUSE * sum / (double)(s->end[f] > first ? s->end[f] - first : 1);
        for (int64_t n = first; n < s->end[f]; n++) s->pause[n] = s->energy[n] < limit;
    }
}

static int open_speech(const experiment *e, int64_t seed, const inco_mat *windows, speech *s) {
    run *r = e->run;
    const size_t count = (size_t)windows->cols;
    int status;
    TRY(inco_mat_new(&s->x, INCO_F64, windows->rows, windows->cols, &r->error));
    s->energy = calloc(count + 1, sizeof *s->energy);
    s->residual = calloc(count + 1, sizeof *s->residual);
    s->share = calloc(count + 1, sizeof *s->share);
    s->pause = calloc(count + 1, 1);
    s->options = inco_options_new();
    if (!s->energy || !s->residual || !s->share || !s->pause || !s->options) TRY(run_no_memory(r));
    TRY(inco_options_set(s->options, "coder", "omp", &r->error));
    TRY(inco_options_set_number(s->options, "threads", inco_options_get_number(r->options, "threads"), &r->error));
    fill(s, windows);
    TRY(read_ends(e, seed, s));
    find_pauses(s);
done:
    return status;
}

/* ---- Medians ---- */

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value, int64_t count) {
    if (!count) return NAN;
    qsort(value, (size_t)count, sizeof *value, ascending);
    return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

/* Over pauses, or over speech, without zero windows. */
static double median_of_windows(const speech *s, int pause) {
    int64_t count = 0;
    for (int64_t n = 0; n < s->x.cols; n++)
        if (s->pause[n] == pause && s->energy[n] > 0) s->share[count++] = sqrt(s->residual[n] / s->energy[n]);
    return median(s->share, count);
}

/* Over the recordings, of ||R|| / ||X||. */
static double median_of_recordings(const speech *s) {
    int64_t first = 0, count = 0;
    for (int f = 0; f < REPRODUCE_TEST_FILES; first = s->end[f++]) {
        double residual = 0, energy = 0;
        for (int64_t n = first; n < s->end[f]; n++) residual += s->residual[n], energy += s->energy[n];
        if (energy > 0) s->share[count++] = sqrt(residual / energy);
    }
    return median(s->share, count);
}

/* ---- Residuals ---- */

static int code(run *r, speech *s, const inco_mat *dictionary, double atoms) {
    inco_coder *coder = NULL;
    inco_csc codes = {0};
    int status;
    TRY(inco_options_set_number(s->options, "sparsity", atoms, &r->error));
    TRY(inco_coder_new(&coder, dictionary, INCO_F64, s->options, &r->error));
    TRY(inco_coder_run(coder, &s->x, &codes, s->residual, &r->error));
    for (int64_t n = 0; n < s->x.cols; n++) s->residual[n] = fmax(s->residual[n], 0);
done:
    inco_coder_free(coder);
    inco_csc_free(&codes);
    return status;
}

int speech_measure(const experiment *e, int64_t seed, const speech_task *task, numbers *n) {
    const inco_residuals *at = task->at;
    speech s = {.energy = NULL};
    double *value = calloc((size_t)at->count * PARTS + 1, sizeof *value);
    int64_t pauses = 0;
    int status = INCO_OK;
    if (!value) TRY(run_no_memory(e->run));
    TRY(open_speech(e, seed, task->windows, &s));
    for (int64_t i = 0; i < at->count; i++) {
        TRY(code(e->run, &s, task->dictionary, at->cardinality[i]));
        value[i * PARTS] = median_of_recordings(&s);
        value[i * PARTS + 1] = median_of_windows(&s, 0);
        value[i * PARTS + 2] = median_of_windows(&s, 1);
    }
    for (int64_t w = 0; w < s.x.cols; w++) pauses += s.pause[w];
    numbers_add(n, "test_pauses", 0, (double)pauses);
    for (int part = 0; part < PARTS; part++)
        for (int64_t i = 0; i < at->count; i++)
            numbers_add(n, lists[part], at->cardinality[i], value[i * PARTS + part]);
done:
    inco_mat_free(&s.x);
    free(s.energy);
    free(s.residual);
    free(s.share);
    free(s.pause);
    inco_options_free(s.options);
    free(value);
    return status;
}

/* ---- Output ---- */

const speech_part speech_parts[SPEECH_PARTS] = {{"windows", "residual"},
                                                {"recordings", "recording_residual"},
                                                {"speech", "speech_residual"},
                                                {"pauses", "pause_residual"}};

void speech_write(json *j, const experiment *e) {
    json_array(j, "residuals");
    for (const grid_run *g = e->grid; g < e->grid + e->runs; g++) {
        if (!g->generalises) continue;
        json_object(j, NULL);
        json_text(j, "run", g->id);
        const double *at = NULL, *first_seed;
        int count = numbers_of(reproduce_figures(e, 0, g), "residual", &at, &first_seed);
        json_numbers(j, "cardinalities", at, count);
        for (const speech_part *part = speech_parts; part < speech_parts + SPEECH_PARTS; part++) {
            double *value = seeds_list(e, g, part->list, &count, NULL);
            json_numbers(j, part->name, value, count);
            free(value);
        }
        json_end_object(j);
    }
    json_end_array(j);
}

void speech_print(const experiment *e) {
    printf("\nmedian test residual with 10 and 40 atoms, over\n%-18s", "");
    for (int part = 0; part < SPEECH_PARTS; part++) printf("%-16s", speech_parts[part].name);
    printf("\n");
    for (const grid_run *g = e->grid; g < e->grid + e->runs; g++) {
        if (!g->generalises) continue;
        printf("%-18s", g->id);
        for (int part = 0; part < SPEECH_PARTS; part++)
            printf("%.4f  %.4f  ", seeds_over(e, g, speech_parts[part].list, 10).median,
                   seeds_over(e, g, speech_parts[part].list, 40).median);
        printf("\n");
    }
}
