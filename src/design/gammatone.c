#include "design/gammatone.h"

#include <math.h>

#include "mat/blas.h"

#define PI 3.14159265358979323846
#define ERB_HZ 24.7 /* Glasberg and Moore: B = 24.7 (1 + 0.00437 f), f in Hz */
#define ERB_SLOPE (4.37 / 1000)

/* ---- Ranges ---- */

/* Unknown k maps to low + (high - low) / (1 + exp(-x)): of ln(B / 24.7), of the order, of ln(width), and of the time at
 * which the envelope is maximal. Parametrised by its onset instead, a low tone might barely have begun at the end of
 * the window. */
enum { PITCH, ORDER, LOG_WIDTH, PEAK, UNKNOWNS };

typedef struct range {
    double low, high;
} range;

/* (PARAMETRIC-5) */
static range range_of(const parametric_family *family, int k) {
    const double length = (double)family->dim / family->rate;
    switch (k) {
    case PITCH:
        return (range){log1p(ERB_SLOPE / length), log1p(ERB_SLOPE * 0.475 * family->rate)};
    case ORDER:
        return (range){2, 8};
    case LOG_WIDTH:
        return (range){log(0.25), log(4)};
    default:
        return (range){0, ((double)family->dim - fmax(4, 0.1 * (double)family->dim)) / family->rate};
    }
}

/* Value of an unknown in its range, and its derivative by x. */
static double place(range r, double x, double *slope) {
    const double share = 1 / (1 + exp(-x));
    *slope = (r.high - r.low) * share * (1 - share);
    return r.low + (r.high - r.low) * share;
}

/* The x of `value`, strictly inside the range. */
static double unplace(range r, double value) {
    const double share = (value - r.low) / (r.high - r.low);
    return log(share / (1 - share));
}

/* 2 pi w B: decay rate of the envelope, per second. */
static double decay_of(const gammatone *g) {
    return 2 * PI * g->width * ERB_HZ * (1 + ERB_SLOPE * g->frequency);
}

static gammatone tone_at(const parametric_family *family, const double *x, double *slope) {
    double at[UNKNOWNS];
    for (int k = 0; k < UNKNOWNS; k++) at[k] = place(range_of(family, k), x[k], &slope[k]);
    gammatone g = {expm1(at[PITCH]) / ERB_SLOPE, at[ORDER], exp(at[LOG_WIDTH]), 0};
    g.onset = at[PEAK] - (g.order - 1) / decay_of(&g);
    return g;
}

gammatone gammatone_of(const parametric_family *family, const double *x) {
    double slope[UNKNOWNS];
    return tone_at(family, x, slope);
}

/* Frequencies uniform on the ERB scale; times over the window by the golden section, so that neighbours in frequency
 * begin far apart; order and width of auditory filters. */
static void start(const parametric_family *family, int64_t j, int64_t atoms, double *x) {
    const double golden = 0.61803398874989485, share = ((double)j + 0.5) / (double)atoms;
    const double turn = fmod(golden * ((double)j + 0.5), 1);
    const range pitch = range_of(family, PITCH);
    x[PITCH] = unplace(pitch, pitch.low + (pitch.high - pitch.low) * share);
    x[ORDER] = unplace(range_of(family, ORDER), 4);
    x[LOG_WIDTH] = unplace(range_of(family, LOG_WIDTH), log(1.019));
    x[PEAK] = unplace(range_of(family, PEAK), range_of(family, PEAK).high * (0.02 + 0.96 * turn));
}

/* ---- The atom ---- */

/* (n - 1) ln t - 2 pi w B t, the logarithm of the envelope. */
static double log_envelope(const gammatone *g, double decay, double t) {
    return (g->order - 1) * log(t) - decay * t;
}

static double highest_envelope(const parametric_family *family, const gammatone *g, double decay) {
    double highest = -INFINITY;
    for (int64_t i = 0; i < family->dim; i++) {
        const double t = (double)i / family->rate - g->onset;
        if (t > 0) highest = fmax(highest, log_envelope(g, decay, t));
    }
    return highest;
}

/* (PARAMETRIC-6) for one sample, t > 0: value and derivatives, with `scale` subtracted from the logarithm of the
 * envelope. */
static double sample(const gammatone *g, double decay, double t, double scale, double by[UNKNOWNS]) {
    const double envelope = exp(log_envelope(g, decay, t) - scale), omega = 2 * PI * g->frequency;
    const double value = envelope * cos(omega * t), quadrature = envelope * sin(omega * t);
    const double later = -((g->order - 1) / t - decay) * value + omega * quadrature; /* by the onset */
    const double rise = (g->order - 1) / decay;
    by[PITCH] = -decay * t * value - 2 * PI * t * quadrature * (g->frequency + 1 / ERB_SLOPE) + rise * later;
    by[ORDER] = log(t) * value - later / decay;
    by[LOG_WIDTH] = -decay * t * value + rise * later;
    by[PEAK] = later;
    return value;
}

/* (PARAMETRIC-4): d = g / |g| and its derivative, in place, from g and its derivative. */
static void normalize(int64_t dim, double *atom, double *derivative, const double *slope) {
    const double norm = sqrt(blas_dot(dim, atom, atom));
    for (int64_t i = 0; i < dim; i++) atom[i] /= norm;
    for (int k = 0; derivative && k < UNKNOWNS; k++, derivative += dim) {
        const double along = blas_dot(dim, atom, derivative);
        for (int64_t i = 0; i < dim; i++) derivative[i] = slope[k] * (derivative[i] - along * atom[i]) / norm;
    }
}

/* The maximum of the envelope within the window is scaled to 1, so that norms neither vanish nor overflow. */
static void make(const parametric_family *family, const double *x, double *atom, double *derivative) {
    double slope[UNKNOWNS], by[UNKNOWNS];
    const gammatone g = tone_at(family, x, slope);
    const double decay = decay_of(&g), scale = highest_envelope(family, &g, decay);
    for (int64_t i = 0; i < family->dim; i++) {
        const double t = (double)i / family->rate - g.onset;
        for (int k = 0; k < UNKNOWNS; k++) by[k] = 0;
        atom[i] = t > 0 ? sample(&g, decay, t, scale, by) : 0;
        for (int k = 0; derivative && k < UNKNOWNS; k++) derivative[k * family->dim + i] = by[k];
    }
    normalize(family->dim, atom, derivative, slope);
}

parametric_family gammatone_family(int64_t dim, double rate) {
    return (parametric_family){dim, rate, UNKNOWNS, start, make};
}
