/* `inco reproduce sigg2012`: the experiment of Sigg, Dikk and Buhmann, "Learning Dictionaries with Bounded
 * Self-Coherence", IEEE Signal Processing Letters 19(12), 2012.
 *
 * The folder of the experiment holds, per seed, the signals (train.npy, test.npy) and per run its dictionary (.npy),
 * its log (.jsonl) and its results (.csv); claims and report are made from the results. Existing results are reused. */
#ifndef INCO_REPRODUCE_REPRODUCE_H
#define INCO_REPRODUCE_REPRODUCE_H

#include "cli/json.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "numbers.h"

enum {
    REPRODUCE_DIM = 160,            /* samples of a signal */
    REPRODUCE_BINS = 100,           /* of the histogram in inco_metrics */
    REPRODUCE_RATE = 8000,          /* Hz */
    REPRODUCE_TEST_FILES = 20,      /* recordings held out for testing */
    REPRODUCE_RECOVERY_ATOMS = 200, /* atoms of the dictionaries for the recovery of planted codes */
    REPRODUCE_RUNS = 48
};
#define REPRODUCE_PAUSE 0.1 /* energy of a window, over the mean of its recording, below which it is a pause */

/* K-SVD with replacement, K-SVD with decorrelation, IDL as published and on the spheres, IDL with a bound, plain least
 * squares. */
typedef enum family { KSVD, INKSVD, RESCALE, SPHERE, BOUND, MOD, FAMILIES } family;

/* One run of the grid. */
typedef struct grid_run {
    char id[40];    /* names its files: "inksvd-0.5" */
    char label[40]; /* in figures: "μt = 0.5" */
    family family;
    double value; /* mu_t, gamma, or the bound */
    int64_t atoms;
    int generalises, recovers; /* whether it is tested on test signals, and on planted codes */
    double weight;             /* relative duration, roughly */
} grid_run;

typedef struct experiment {
    run *run;
    char *data, *output; /* folders */
    int quick, seeds;
    int64_t first_seed, signals, atoms, iterations, passes;
    grid_run grid[REPRODUCE_RUNS];
    int runs;
    numbers *figures; /* of every run with every seed: see experiment_figures */
    progress progress;
    int under_way, made; /* index of the current run; number of runs made, not found */
    int shown;           /* whether its progress was shown */
    /* Of the work missing at the start: done, total, and found half-finished. */
    double weight_done, weight_all, weight_found;
    double work_started;
} experiment;

/* Plans the runs, in the order in which they are run. */
void grid_plan(experiment *e);
const char *grid_family(family f);     /* "INK-SVD" */
const char *grid_short_name(family f); /* "inksvd" */
/* The run of a family at a value, with the atoms of the experiment or, for `recovery`, of that part; NULL if there is
 * none. INK-SVD at 1 rotates nothing: it is K-SVD at 1. */
const grid_run *grid_find(const experiment *e, family f, double value, int recovery);
/* Performs all missing runs, and reads the results of all. INCO_STOPPED after a signal. */
int grid_perform(experiment *e);

/* A name in the folder of the experiment, or of a seed >= 0; to be freed. NULL: out of memory. */
char *reproduce_path(const experiment *e, int64_t seed, const char *name, const char *ending);
/* Whether there is a file of this name. */
int reproduce_has(const experiment *e, int64_t seed, const char *name, const char *ending);
numbers *reproduce_figures(const experiment *e, int seed, const grid_run *g); /* seed from 0 */

/* Checks data and folder before any work; creates the folder, or checks that it holds the same experiment. */
int split_check(experiment *e);
/* The signals of a seed: creates train.npy and test.npy if they are missing. */
int split_make(experiment *e, int64_t seed);

/* Results of a completed run, from its dictionary and log. */
int measure_run(experiment *e, int64_t seed, const grid_run *g, numbers *figures);

/* Residuals by recording, of speech and of pauses, with as many atoms as `at` was measured with. */
typedef struct speech_task {
    const inco_mat *dictionary, *windows; /* in double, of unit norm; all windows of the test recordings */
    const inco_residuals *at;
} speech_task;
int speech_measure(const experiment *e, int64_t seed, const speech_task *task, numbers *figures);

/* What a median residual is taken over, and the list of results with it. */
enum { SPEECH_PARTS = 4 };
typedef struct speech_part {
    const char *name, *list;
} speech_part;
extern const speech_part speech_parts[SPEECH_PARTS];

void speech_write(json *j, const experiment *e); /* a member of an object: "residuals" */
void speech_print(const experiment *e);          /* as a table, on standard output */

/* ---- Results over the seeds ---- */

/* Median and quartiles over the seeds. */
typedef struct spread {
    double median, lower, upper;
} spread;
spread seeds_over(const experiment *e, const grid_run *g, const char *name, double at);
/* The same of the ratio, seed by seed, to another run. */
spread seeds_ratio(const experiment *e, const grid_run *g, const grid_run *base, const char *name, double at);
/* Median over the seeds of a whole list, to be freed; its length in *count, its places in *at (may be NULL). */
double *seeds_list(const experiment *e, const grid_run *g, const char *name, int *count, const double **at);

enum { CLAIMS = 13, CLAIM_TEXT = 1200 };

typedef enum verdict { FAILS, PARTLY, HOLDS } verdict;

typedef struct claim {
    const char *id, *text;
    char measured[CLAIM_TEXT];
    verdict verdict;
} claim;

/* Judges the claims by the results; the rules are stated in docs/reproduction.md. */
void claims_judge(const experiment *e, claim *claims);
const char *claims_verdict(verdict v); /* "holds", "partly", "fails" */
int claims_save(const experiment *e, const claim *claims);
void claims_write(json *j, const claim *claims); /* a member of an object: "claims" */
void claims_print(const claim *claims);          /* as a table, on standard output */

/* index.html and csv/. */
int reproduce_html(const experiment *e, const claim *claims);

#endif
