#include "replace/exchange.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "base/source.h"
#include "code/coder.h"
#include "mat/blas.h"
#include "mat/gaps.h"
#include "mat/mat.h"
#include "replace/lines.h"
#include "sparse/csc.h"

enum { SIGNALS = 4, ATOMS = 10 }; /* signals with the largest error per atom; atoms per line */
enum { PANEL = 128 };

int64_t exchange_signals(int64_t atoms) {
    return SIGNALS * atoms;
}

int64_t exchange_lines(int64_t atoms) {
    return range_blocks(atoms, ATOMS);
}

/* ---- The residuals of the worst coded signals ---- */

/* (EX-1): r = x - D c, coded in the updated dictionary; 0 at missing entries. */
static int code_worst(const exchange_input *in, inco_mat *r, inco_error *error) {
    const inco_mat *d = in->d;
    inco_mat x = {0};
    csc codes = {0};
    int status;
    TRY(mat_new_raw(&x, in->signals->type, d->rows, in->worst->count, error));
    for (int64_t n = 0; n < x.cols; n++)
        TRY(source_read(in->signals, in->worst->item[n].signal, 1, mat_column(&x, n), error));
    TRY(coder_set_dictionary(in->coder, d, error));
    TRY(coder_run(in->coder, &x, &codes, NULL, error));
    TRY(mat_convert(r, &x, INCO_F64, error));
    for (int64_t n = 0; n < codes.cols; n++)
        for (int64_t k = codes.start[n]; k < codes.start[n + 1]; k++)
            blas_axpy(d->rows, -csc_value(&codes, k), mat_column(d, codes.index[k]), mat_column(r, n));
    if (in->signals->missing) gaps_zero(r);
done:
    inco_mat_free(&x);
    csc_free(&codes);
    return status;
}

/* The weights of these signals. Of the last one only what reaches the capacity of the list counts, as of equal signals.
 */
static void set_weights(const worst_list *worst, double *weight) {
    double left = (double)worst->capacity;
    for (int64_t n = 0; n < worst->count; n++) {
        weight[n] = fmin(worst->item[n].weight, left);
        left -= weight[n];
    }
}

/* ---- The worth of atoms ---- */

typedef struct market {
    inco_mat d;           /* including exchanges so far */
    double gamma;         /* weight of the penalty */
    double *use_energy;   /* per atom: A_jj; of a line its gain */
    double *closest;      /* per atom: largest |d_i'd_j| with another ... */
    int64_t *neighbour;   /* ... and that atom */
    double *crowd;        /* per atom: sum of (d_i'd_j)^2 over the others */
    double *products;     /* L */
    unsigned char *fresh; /* per atom: exchanged */
} market;

/* Sets the neighbour and the sum of atom j, from g = D'd_j. */
static void look_around(market *m, int64_t j, const double *g) {
    m->closest[j] = -1;
    m->crowd[j] = 0;
    for (int64_t i = 0; i < m->d.cols; i++) {
        if (i == j) continue;
        m->crowd[j] += g[i] * g[i];
        if (fabs(g[i]) <= m->closest[j]) continue;
        m->closest[j] = fabs(g[i]);
        m->neighbour[j] = i;
    }
}

static int look_at_all(market *m, int threads, inco_error *error) {
    const int64_t atoms = m->d.cols;
    inco_mat g = {0};
    int status = mat_new_raw(&g, INCO_F64, atoms, PANEL, error);
    for (int64_t first = 0; status >= 0 && first < atoms; first += PANEL) {
        inco_mat columns = mat_columns(&m->d, first, range_min(atoms - first, PANEL));
        inco_mat to = mat_columns(&g, 0, columns.cols);
        blas_multiply(threads, "TN", 1, &m->d, &columns, 0, &to);
        for (int64_t j = 0; j < columns.cols; j++) look_around(m, first + j, mat_column(&to, j));
    }
    inco_mat_free(&g);
    return status;
}

static int open_market(market *m, const exchange_input *in, inco_error *error) {
    const int64_t atoms = in->d->cols;
    m->gamma = in->gamma;
    m->use_energy = NEW_RAW(double, atoms);
    m->closest = NEW_RAW(double, atoms);
    m->neighbour = NEW(int64_t, atoms);
    m->crowd = NEW_RAW(double, atoms);
    m->products = NEW_RAW(double, atoms);
    m->fresh = NEW(unsigned char, atoms);
    if (!m->use_energy || !m->closest || !m->neighbour || !m->crowd || !m->products || !m->fresh)
        return error_no_memory(error);
    memcpy(m->use_energy, in->use_energy, (size_t)atoms * sizeof *m->use_energy);
    int status = mat_convert(&m->d, in->d, INCO_F64, error);
    return status < 0 ? status : look_at_all(m, in->threads, error);
}

static void close_market(market *m) {
    inco_mat_free(&m->d);
    memory_free(m->use_energy);
    memory_free(m->closest);
    memory_free(m->neighbour);
    memory_free(m->crowd);
    memory_free(m->products);
    memory_free(m->fresh);
}

/* (EX-5): estimated increase of the objective without atom j, if its closest neighbour replaces it. */
static double worth(const market *m, int64_t j) {
    return (1 - fmin(m->closest[j] * m->closest[j], 1)) * m->use_energy[j] - 2 * m->gamma * m->crowd[j];
}

/* Returns the atom that is cheapest to replace by the line with products D'z, and *price, the cost (EX-6); -1 if there
 * is none. */
static int64_t cheapest(const market *m, const double *products, double *price) {
    const double crowd = blas_dot(m->d.cols, products, products);
    int64_t best = -1;
    for (int64_t j = 0; j < m->d.cols; j++) {
        const double now = worth(m, j) + 2 * m->gamma * (crowd - products[j] * products[j]);
        if (m->fresh[j] || (best >= 0 && now >= *price)) continue;
        *price = now;
        best = j;
    }
    return best;
}

/* Updates the other atoms when v is added (sign 1) or removed (-1) as atom j. */
static void tell_others(market *m, int64_t j, const double *v, double sign) {
    blas_gemv_transposed(&m->d, 1, v, 0, m->products);
    for (int64_t i = 0; i < m->d.cols; i++) {
        if (i == j) continue;
        m->crowd[i] += sign * m->products[i] * m->products[i];
        if (sign < 0 || fabs(m->products[i]) <= m->closest[i]) continue;
        m->closest[i] = fabs(m->products[i]);
        m->neighbour[i] = j;
    }
}

/* Replaces atom j by the line, and updates the atoms whose neighbour was j. */
static void put_line(market *m, int64_t j, const double *line, double gain) {
    double *atom = mat_column(&m->d, j);
    tell_others(m, j, atom, -1);
    memcpy(atom, line, (size_t)m->d.rows * sizeof *line);
    tell_others(m, j, atom, 1);
    look_around(m, j, m->products);
    for (int64_t i = 0; i < m->d.cols; i++) {
        if (i == j || m->neighbour[i] != j) continue;
        blas_gemv_transposed(&m->d, 1, mat_column(&m->d, i), 0, m->products);
        look_around(m, i, m->products);
    }
    m->use_energy[j] = gain;
    m->fresh[j] = 1;
}

/* ---- Exchanging ---- */

/* Goes through the lines in descending order of gain; each replaces the atom that is cheapest to replace, as long as it
 * gains more. */
static void trade(replacement_list *list, market *m, const double *gain, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const double *line = mat_column(&list->lines, i);
        double price = 0;
        blas_gemv_transposed(&m->d, 1, line, 0, m->products);
        const int64_t j = cheapest(m, m->products, &price);
        if (j < 0 || !(gain[i] > price)) return;
        put_line(m, j, line, gain[i]);
        list->item[list->count++] = (replacement){j, i, REPLACED_EXCHANGED};
    }
}

int exchange_choose(const exchange_input *in, replacement_list *list, double *seconds_code, inco_error *error) {
    const double start = clock_seconds();
    inco_mat r = {0};
    market m = {0};
    double *gain = NEW_RAW(double, list->lines.cols), *weight = NEW_RAW(double, in->worst->count);
    int64_t count;
    int status;
    if (!gain || !weight) TRY(error_no_memory(error));
    set_weights(in->worst, weight);
    TRY(code_worst(in, &r, error));
    *seconds_code += clock_seconds() - start;
    const lines_input vectors = {&r, weight, in->threads};
    TRY(lines_find(&list->lines, gain, &count, &vectors, error));
    TRY(open_market(&m, in, error));
    trade(list, &m, gain, count);
done:
    close_market(&m);
    inco_mat_free(&r);
    memory_free(gain);
    memory_free(weight);
    return status;
}
