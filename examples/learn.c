/* Learns a dictionary from signals in memory, without and with the penalty on coherence, and compares the two.
 *
 *   cc learn.c $(pkg-config --cflags --libs inco) -o learn && ./learn
 */
#include <stdio.h>
#include <stdlib.h>

#include <inco/inco.h>

enum { DIM = 16, ATOMS = 32, SIGNALS = 4000 };

/* Uniform in (-1, 1), the same on every machine. */
static double draw(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state / 9223372036854775808.0;
}

/* Speech-like signals: random walks, whose neighbouring samples are correlated and whose energy is in few
 * directions. */
static void make_signals(double *x) {
    for (int n = 0; n < SIGNALS; n++) {
        double value = draw();
        for (int i = 0; i < DIM; i++) {
            value = 0.9 * value + draw();
            x[i + (size_t)n * DIM] = value;
        }
    }
}

static int learn(const inco_mat *x, const char *gamma_relative, inco_error *error) {
    inco_source source = INCO_INIT(inco_source);
    inco_options *options = inco_options_new();
    inco_mat dictionary = {0};
    inco_learn_info info = INCO_INIT(inco_learn_info);
    int status = options ? INCO_OK : INCO_ENOMEM;
    if (!status) status = inco_source_from_mat(&source, x, error);
    if (!status) status = inco_options_set_number(options, "atoms", ATOMS, error);
    if (!status) status = inco_options_set(options, "coder", "omp", error);
    if (!status) status = inco_options_set_number(options, "sparsity", 3, error);
    if (!status) status = inco_options_set(options, "gamma-relative", gamma_relative, error);
    if (!status) status = inco_learn(&source, options, &dictionary, &info, error);
    if (!status)
        printf("gamma-relative %-4s  error %.3f  atoms per signal %5.2f  coherence: rms %.3f, largest %.3f (Welch "
               "bound %.3f)\n",
               gamma_relative, info.relative_error, info.mean_cardinality, info.coherence_rms, info.coherence_max,
               info.welch);
    inco_mat_free(&dictionary);
    inco_options_free(options);
    return status;
}

int main(void) {
    double *signals = malloc(sizeof(double) * DIM * SIGNALS);
    if (!signals) return 1;
    make_signals(signals);
    inco_mat x;
    inco_mat_view(&x, INCO_F64, DIM, SIGNALS, signals);
    inco_error error = {0};
    int status = learn(&x, "0", &error);
    if (!status) status = learn(&x, "0.1", &error);
    if (status < 0) fprintf(stderr, "%s: %s\n", inco_strerror(status), error.message);
    free(signals);
    return status < 0;
}
