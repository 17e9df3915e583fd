/* Coefficients in double for a support found in float32 (docs/theory/lars.md, "In double from float32").
 *
 * The factor R of the fast coder is good to about 1e-6: it serves to solve for corrections, each of which gains as many
 * digits again, with residuals taken in double from the atoms themselves. */
#include "base/options.h"
#include "code/kernel/basis.h"

#ifdef KERNEL_f64

enum { ROUNDS = 6 };

static double dot(int64_t n, const double *x, const double *y) {
    vector sum[2] = {{0}, {0}};
    int64_t i = 0;
    double tail = 0;
    for (; i + 2 * (int64_t)LANES <= n; i += 2 * LANES) {
        sum[0] += vector_load(x + i) * vector_load(y + i);
        sum[1] += vector_load(x + i + LANES) * vector_load(y + i + LANES);
    }
    for (; i < n; i++) tail += x[i] * y[i];
    sum[0] += sum[1];
    for (unsigned lane = 0; lane < LANES; lane++) tail += sum[0][lane];
    return tail;
}

static const double *atom(const kernel_refinement *job, int64_t m) {
    return job->dictionary + job->fast->support[m] * job->dim;
}

/* out = D_S' y */
static void products(const kernel_refinement *job, const double *y, double *out) {
    for (int64_t m = 0; m < job->fast->rank; m++) out[m] = dot(job->dim, atom(job, m), y);
}

/* y += sign D_S b */
static void combine(const kernel_refinement *job, double sign, const double *b, double *y) {
    for (int64_t m = 0; m < job->fast->rank; m++) {
        const double *d = atom(job, m), c = sign * b[m];
        for (int64_t i = 0; i < job->dim; i++) y[i] += c * d[i];
    }
}

/* step = R^-1 step */
static void solve_back(const kernel_refinement *job) {
    double *step = job->step;
    for (int64_t m = job->fast->rank - 1; m >= 0; m--) {
        const double *column = basis_column(job->fast, m);
        step[m] /= column[m];
        for (int64_t i = 0; i < m; i++) step[i] -= column[i] * step[m];
    }
}

/* step = R^-1 R'^-1 right */
static void solve(const kernel_refinement *job) {
    double *step = job->step;
    for (int64_t m = 0; m < job->fast->rank; m++) {
        const double *column = basis_column(job->fast, m);
        step[m] = (job->right[m] - dot(m, column, step)) / column[m];
    }
    solve_back(job);
}

/* Takes the step. Steps shrink by a steady factor, `change` over the last; 1 when what is left after this one is below
 * 1e-10 of the solution. */
static int take_step(const kernel_refinement *job, double *b, double *last) {
    double largest = 0, change = 0;
    for (int64_t m = 0; m < job->fast->rank; m++) {
        b[m] += job->step[m];
        largest = larger(largest, fabs(b[m]));
        change = larger(change, fabs(job->step[m]));
    }
    double left = *last > 0 ? change * change / *last : change;
    *last = change;
    return left <= 1e-10 * largest;
}

/* fit = G_SS^-1 D_S'x, and rest = x - D_S fit. It starts from the fast coder's Q'x. */
static int solve_fit(kernel_refinement *job) {
    const size_t bytes = (size_t)job->fast->rank * sizeof(double);
    double last = 0;
    memcpy(job->rest, job->signal, (size_t)job->dim * sizeof *job->rest);
    memset(job->fit, 0, bytes);
    memcpy(job->step, job->fast->proj, bytes);
    solve_back(job);
    for (int round = 0; round < ROUNDS; round++) {
        int done = take_step(job, job->fit, &last);
        combine(job, -1, job->step, job->rest);
        if (done) return 1;
        products(job, job->rest, job->right);
        solve(job);
    }
    return 0;
}

/* path = G_SS^-1 s, and moved = D_S path. It starts from the fast coder's z; the signs are s = R'z. */
static int solve_path(kernel_refinement *job, double *sign) {
    const int64_t k = job->fast->rank;
    double last = 0;
    for (int64_t m = 0; m < k; m++) sign[m] = dot(m + 1, basis_column(job->fast, m), job->fast->turn) < 0 ? -1 : 1;
    memset(job->moved, 0, (size_t)job->dim * sizeof *job->moved);
    memset(job->path, 0, (size_t)k * sizeof *job->path);
    memcpy(job->step, job->fast->turn, (size_t)k * sizeof *job->step);
    solve_back(job);
    for (int round = 0; round < ROUNDS; round++) {
        int done = take_step(job, job->path, &last);
        combine(job, 1, job->step, job->moved);
        if (done) return 1;
        products(job, job->moved, job->right);
        for (int64_t m = 0; m < k; m++) job->right[m] = sign[m] - job->right[m];
        solve(job);
    }
    return 0;
}

/* The level C at which the path ended: (L-5) to (L-7), or where the next atom has |d'r| = C; negative when there is
 * none. */
static double end_level(const kernel_refinement *job, double left, double turn2) {
    const kernel_work *fast = job->fast;
    const kernel_rules *rules = &fast->rules;
    if (fast->ended == END_LAMBDA) return rules->lambda;
    if (fast->ended == END_COHERENCE) {
        double share = 1 - rules->coherence * rules->coherence * turn2;
        return share > 0 ? rules->coherence * sqrt(left / share) : -1;
    }
    if (fast->ended == END_TOLERANCE) {
        double room = rules->tolerance * rules->tolerance * job->energy - left;
        return room >= 0 ? sqrt(room / turn2) : -1;
    }
    if (fast->ended == END_OF_PATH) return 0;
    const double *d = job->dictionary + fast->next * job->dim;
    return dot(job->dim, d, job->rest) / (fast->next_sign - dot(job->dim, d, job->moved));
}

/* c = fit - C path on the support; the LASSO's must have the signs of their correlations. */
static int refine_path(kernel_refinement *job, double *sign) {
    const int64_t k = job->fast->rank;
    if (!solve_path(job, sign)) return 0;
    double left = dot(job->dim, job->rest, job->rest), turn2 = dot(k, sign, job->path);
    double level = end_level(job, left, turn2);
    if (!(level >= 0)) return 0;
    for (int64_t m = 0; m < k; m++) {
        double c = job->fit[m] - level * job->path[m];
        if (job->fast->rules.coder == CODER_LASSO && !(c * sign[m] > 0)) return 0;
        if (!job->fast->rules.refit) job->fit[m] = c;
    }
    job->to->residual = job->fast->rules.refit ? left : left + turn2 * level * level;
    return 1;
}

int KERNEL(refine)(kernel_refinement *job);

int KERNEL(refine)(kernel_refinement *job) {
    kernel_work *fast = job->fast, *to = job->to;
    const int greedy = fast->rules.coder == CODER_OMP || fast->rules.coder == CODER_OLS;
    if (fast->uncertain || fast->rank != fast->count || !solve_fit(job)) return 0;
    to->residual = dot(job->dim, job->rest, job->rest);
    if (!greedy && fast->rank > 0 && !refine_path(job, to->value)) return 0;
    to->count = fast->rank;
    to->skipped = 0;
    memcpy(to->support, fast->support, (size_t)fast->rank * sizeof *to->support);
    memcpy(to->value, job->fit, (size_t)fast->rank * sizeof *to->value);
    return 1;
}

#else
typedef int kernel_refine_is_in_double;
#endif
