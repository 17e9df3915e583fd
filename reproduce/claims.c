/* The claims of the paper and the rules that judge them. The rules, with their thresholds, are stated in words in
 * docs/reproduction.md: both say the same. All values are medians over the seeds. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

static const double margin = 0.01;  /* relative difference that counts */
static const double alike = 0.10;   /* relative difference of nearly identical values */
static const double settled = 0.05; /* relative change over the last five iterations that counts as converged */

static const char *const texts[CLAIMS] = {
    "The spectrum of an equiangular tight frame is flat at √(L/D); with unit-norm atoms the squares of the singular "
    "values sum to L",
    "IDL(γ): the singular spectrum gets flatter as γ rises",
    "K-SVD: μt = 1 is inactive; μt < 1 makes the spectrum decay faster and the self-coherence rise",
    "INK-SVD: a lower μt flattens the spectrum, the largest coherence ends at μt, the median coherence rises from μt = "
    "0.5 to 0.2, the cost explodes, and μt = 0.1 is out of reach",
    "Without a bound on coherence the residual curves of all methods on unseen data are nearly identical",
    "K-SVD: μt < 1 makes the residuals on unseen data worse",
    "INK-SVD: for 0.7 > μt > 0.2 the residuals are lower beyond a cardinality of 80, and higher below",
    "IDL(γ): the residuals on unseen data improve with γ at all cardinalities, and no other method does that",
    "IDL(γ): the largest coherence stays essentially as it is, while the mass of the inner products moves to zero",
    "IDL(γ): more of a planted support is recovered as γ rises",
    "The self-coherence lies between the Welch bound and 1, and codes of fewer than (1 + 1/μ)/2 atoms are recovered",
    "25 iterations reach approximate convergence in all experiments, and every update of the dictionary lowers the "
    "objective",
    "By γ any trade-off can be had, from the sparsest codes at γ = 0 to an equiangular tight frame"};

static void tell(claim *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void tell(claim *c, const char *format, ...) {
    const size_t used = strlen(c->measured);
    va_list args;
    va_start(args, format);
    vsnprintf(c->measured + used, sizeof c->measured - used, format, args);
    va_end(args);
}

static verdict by_parts(int held, int parts) {
    return held == parts ? HOLDS : held ? PARTLY : FAILS;
}

/* ---- Runs of the grid ---- */

static double value_of(const experiment *e, const grid_run *g, const char *name) {
    return seeds_over(e, g, name, 0).median;
}

/* The next run of a family with the atoms of the experiment, in ascending order of values if `ascending`, else
 * descending; NULL after the last. `after` is NULL for the first. */
static const grid_run *next_of(const experiment *e, family f, const grid_run *after, int ascending) {
    const grid_run *best = NULL;
    for (int i = 0; i < e->runs; i++) {
        const grid_run *g = &e->grid[i];
        if (g->family != f || !g->generalises) continue;
        if (after && (ascending ? g->value <= after->value : g->value >= after->value)) continue;
        if (!best || (ascending ? g->value < best->value : g->value > best->value)) best = g;
    }
    return best;
}

/* The cardinalities measured. */
static int cardinalities(const experiment *e, const double **k) {
    const double *residual;
    return numbers_of(reproduce_figures(e, 0, grid_find(e, KSVD, 1, 0)), "residual", k, &residual);
}

/* In percent, the change of the median over recordings of ||R|| / ||X||. */
static double recording_percent(const experiment *e, const grid_run *g, const grid_run *base, double k) {
    return round(100 * (seeds_ratio(e, g, base, "recording_residual", k).median - 1)) + 0.0;
}

static double residual_ratio(const experiment *e, const grid_run *g, const grid_run *base, double k) {
    return seeds_ratio(e, g, base, "residual", k).median;
}

/* Difference in percent, rounded, without negative zero. */
static double percent(const experiment *e, const grid_run *g, const grid_run *base, double k) {
    return round(100 * (residual_ratio(e, g, base, k) - 1)) + 0.0;
}

/* Number of cardinalities at which the ratio of the residuals of g and `base` is below, or above, a limit. */
static int count_below(const experiment *e, const grid_run *g, const grid_run *base, double limit) {
    const double *k;
    int below = 0;
    for (int i = cardinalities(e, &k) - 1; i >= 0; i--) below += residual_ratio(e, g, base, k[i]) < limit;
    return below;
}

static int count_above(const experiment *e, const grid_run *g, const grid_run *base, double limit) {
    const double *k;
    int above = 0;
    for (int i = cardinalities(e, &k) - 1; i >= 0; i--) above += residual_ratio(e, g, base, k[i]) > limit;
    return above;
}

static void tell_family(const experiment *e, claim *c, family f, int ascending, const char *name, const char *format) {
    const char *comma = "";
    for (const grid_run *g = next_of(e, f, NULL, ascending); g; g = next_of(e, f, g, ascending)) {
        char text[64];
        snprintf(text, sizeof text, format, value_of(e, g, name)); /* `format` has one %g */
        tell(c, "%s%s: %s", comma, g->label, text);
        comma = ", ";
    }
}

/* ---- Spectra: C1 to C4 ---- */

/* Relative deviation of the sum of squared singular values from L, or of the norms of stored atoms from 1: the
 * larger. */
static double off_reference(const numbers *n, double atoms) {
    const double *value;
    const int count = numbers_of(n, "singular", NULL, &value);
    double sum = 0;
    for (int k = 0; k < count; k++) sum += value[k] * value[k];
    const double norms = fmax(fabs(numbers_at(n, "norm_min", 0) - 1), fabs(numbers_at(n, "norm_max", 0) - 1));
    return fmax(norms, fabs(sum / atoms - 1));
}

static void judge_reference(const experiment *e, claim *c) {
    const grid_run *flattest = grid_find(e, SPHERE, 500, 0);
    double worst = 0;
    for (int i = 0; i < e->seeds * e->runs; i++)
        worst = fmax(worst, off_reference(&e->figures[i], (double)e->grid[i % e->runs].atoms));
    tell(c,
         "√(L/D) = %.4g; in %d dictionaries the norms of the atoms differ from 1, and the sum of squares from L, by at "
         "most %.1e of it; the flattest, IDL(500) on the spheres, has singular values from %.4f to %.4f",
         sqrt((double)e->atoms / REPRODUCE_DIM), e->runs * e->seeds, worst,
         seeds_over(e, flattest, "singular", 1).median, seeds_over(e, flattest, "singular", REPRODUCE_DIM).median);
    c->verdict = worst < 1e-5 ? HOLDS : FAILS;
}

/* HOLDS if monotone over the whole range, PARTLY if only better than gamma = 0. */
static verdict flattens(const experiment *e, family f) {
    const grid_run *first = next_of(e, f, NULL, 1);
    const double start = value_of(e, first, "deviation");
    double before = start;
    int monotone = 1, below = 1;
    for (const grid_run *g = next_of(e, f, first, 1); g; g = next_of(e, f, g, 1)) {
        const double now = value_of(e, g, "deviation");
        monotone = monotone && now < before;
        below = below && now < start;
        before = now;
    }
    return monotone ? HOLDS : below ? PARTLY : FAILS;
}

static void judge_flatness(const experiment *e, claim *c) {
    c->verdict = flattens(e, RESCALE);
    tell(c, "distance of the spectrum from flat, as published (atoms rescaled): ");
    tell_family(e, c, RESCALE, 1, "deviation", "%.4f");
    if (c->verdict == PARTLY) tell(c, "; flatter than at γ = 0, but not monotonically");
    tell(c, ". Atoms kept on the spheres: ");
    tell_family(e, c, SPHERE, 1, "deviation", "%.4f");
    tell(c, " (%s)", claims_verdict(flattens(e, SPHERE)));
}

static void judge_replacement(const experiment *e, claim *c) {
    const grid_run *base = grid_find(e, KSVD, 1, 0);
    const int inactive = value_of(e, base, "replaced_coherent") == 0;
    int steeper = 0, coherent = 0, count = 0;
    for (const grid_run *g = next_of(e, KSVD, base, 0); g; g = next_of(e, KSVD, g, 0), count++) {
        steeper += seeds_ratio(e, g, base, "deviation", 0).median > 1 + margin;
        coherent += seeds_ratio(e, g, base, "coherence_rms", 0).median > 1 + margin;
    }
    tell(c, "%s; distance from flat ",
         inactive ? "nothing is replaced for its coherence at μt = 1" : "atoms are replaced even at μt = 1");
    tell_family(e, c, KSVD, 0, "deviation", "%.3f");
    tell(c, "; RMS coherence ");
    tell_family(e, c, KSVD, 0, "coherence_rms", "%.4f");
    tell(c, "; largest ");
    tell_family(e, c, KSVD, 0, "coherence_max", "%.3f");
    c->verdict = inactive && steeper == count && coherent == count ? HOLDS : steeper + coherent > 0 ? PARTLY : FAILS;
}

/* Whether the target is reached, up to rounding. */
static int reached(const experiment *e, const grid_run *g) {
    return value_of(e, g, "coherence_max") <= value_of(e, g, "target") + 1e-6;
}

static int decorrelation_flattens(const experiment *e) {
    double before = value_of(e, grid_find(e, KSVD, 1, 0), "deviation");
    int falls = 1;
    for (const grid_run *g = next_of(e, INKSVD, NULL, 0); g; g = next_of(e, INKSVD, g, 0)) {
        const double now = value_of(e, g, "deviation");
        falls = falls && now < before;
        before = now;
    }
    return falls;
}

static void judge_decorrelation(const experiment *e, claim *c) {
    const grid_run *half = grid_find(e, INKSVD, 0.5, 0), *fifth = grid_find(e, INKSVD, 0.2, 0),
                   *tenth = grid_find(e, INKSVD, 0.1, 0);
    const int flatter = decorrelation_flattens(e);
    const double median_half = value_of(e, half, "coherence_median"),
                 median_fifth = value_of(e, fifth, "coherence_median");
    const int rises = median_fifth > median_half;
    const int explodes = value_of(e, fifth, "spread_passes") >= 10 * value_of(e, half, "spread_passes");
    int ends = 1, out_of_reach = !reached(e, tenth);
    for (const grid_run *g = next_of(e, INKSVD, NULL, 0); g; g = next_of(e, INKSVD, g, 0))
        ends = ends && (g == tenth || reached(e, g));
    tell(c, "spectrum %s as μt falls (distance from flat ", flatter ? "flatter" : "not always flatter");
    tell_family(e, c, INKSVD, 0, "deviation", "%.3f");
    tell(c, "); largest coherence ");
    tell_family(e, c, INKSVD, 0, "coherence_max", "%.4f");
    tell(c, "; median coherence %s: %.4f at 0.5, %.4f at 0.2; passes ", rises ? "rises" : "does not rise", median_half,
         median_fifth);
    tell_family(e, c, INKSVD, 0, "spread_passes", "%.0f");
    tell(c, " (at most %lld in an update); μt = 0.1 is %s", (long long)e->passes,
         out_of_reach ? "not reached" : "reached");
    c->verdict = by_parts(flatter + ends + rises + explodes + out_of_reach, 5);
}

/* ---- Residuals: C5 to C8 ---- */

static void judge_unbounded(const experiment *e, claim *c) {
    const grid_run *base = grid_find(e, KSVD, 1, 0), *idl = grid_find(e, RESCALE, 0, 0),
                   *sphere = grid_find(e, SPHERE, 0, 0);
    const double *k;
    const int count = cardinalities(e, &k);
    double worst = 0, worst_sphere = 0, at = 0;
    int near = 0;
    for (int i = 0; i < count; i++) {
        const double off = fabs(residual_ratio(e, idl, base, k[i]) - 1);
        if (off > worst) at = k[i];
        worst = fmax(worst, off);
        worst_sphere = fmax(worst_sphere, fabs(residual_ratio(e, sphere, base, k[i]) - 1));
        near += off <= alike;
    }
    tell(c,
         "the median residual of IDL(0) differs from that of K-SVD at μt = 1 (and of INK-SVD, which is the same there) "
         "by at most %.1f %% (at %.0f atoms), and by no more than %.0f %% at %d of %d cardinalities; on the spheres by "
         "at most %.1f %%",
         100 * worst, at, 100 * alike, near, count, 100 * worst_sphere);
    c->verdict = near == count ? HOLDS : 2 * near >= count ? PARTLY : FAILS;
}

static void judge_replacement_residual(const experiment *e, claim *c) {
    const grid_run *base = grid_find(e, KSVD, 1, 0);
    const double *k;
    const int count = cardinalities(e, &k);
    int all = 1, total = 0, worse = 0;
    for (const grid_run *g = next_of(e, KSVD, base, 0); g; g = next_of(e, KSVD, g, 0)) {
        const int higher = count_above(e, g, base, 1 + margin);
        all = all && 10 * higher >= 9 * count;
        total += count;
        worse += higher;
        tell(c, "%s%s: higher at %d of %d cardinalities (%+.0f %% at 10 atoms, %+.0f %% at 40)",
             total > count ? "; " : "", g->label, higher, count, percent(e, g, base, 10), percent(e, g, base, 40));
    }
    c->verdict = all ? HOLDS : 2 * worse > total ? PARTLY : FAILS;
}

/* The lowest cardinality from which on the residual is lower than that of the base; 0 if it is not lower at the
 * last. */
static double crossover(const experiment *e, const grid_run *g, const grid_run *base) {
    const double *k;
    double found = 0;
    for (int i = cardinalities(e, &k) - 1; i >= 0 && residual_ratio(e, g, base, k[i]) < 1; i--) found = k[i];
    return found;
}

static int higher_below(const experiment *e, const grid_run *g, const grid_run *base, double end) {
    const double *k;
    const int count = cardinalities(e, &k);
    int higher = 1;
    for (int i = 0; i < count && k[i] < end; i++) higher = higher && residual_ratio(e, g, base, k[i]) > 1;
    return higher;
}

static void judge_crossover(const experiment *e, claim *c) {
    const grid_run *base = grid_find(e, KSVD, 1, 0);
    int all = 1, some = 0;
    const char *semicolon = "";
    for (const grid_run *g = next_of(e, INKSVD, NULL, 0); g; g = next_of(e, INKSVD, g, 0)) {
        if (g->value >= 0.7 || g->value <= 0.2) continue;
        const double from = crossover(e, g, base);
        const int clean = from > 1 && higher_below(e, g, base, from);
        all = all && clean && from >= 80 && from <= 100;
        some = some || clean;
        if (from > 1)
            tell(c, "%s%s: lower from %.0f atoms on, %s", semicolon, g->label, from,
                 clean ? "higher below" : "not always higher below");
        else
            tell(c, "%s%s: %s", semicolon, g->label, from == 1 ? "lower at all cardinalities" : "not lower at the end");
        tell(c, " (%+.0f %% at 10 atoms, %+.0f %% at 100)", percent(e, g, base, 10), percent(e, g, base, 100));
        semicolon = "; ";
    }
    c->verdict = all ? HOLDS : some ? PARTLY : FAILS;
}

/* Whether the residual is, at all cardinalities, below that of the weakest setting, and never above that of the
 * previous setting by more than the margin. */
static verdict improves(const experiment *e, family f, const grid_run *base, int ascending, claim *c) {
    const double *k;
    const int count = cardinalities(e, &k);
    const grid_run *before = base;
    int always = 1, mostly = 1;
    for (const grid_run *g = next_of(e, f, f == base->family ? base : NULL, ascending); g;
         g = next_of(e, f, g, ascending)) {
        const int lower = count_below(e, g, base, 1);
        always = always && lower == count;
        mostly = mostly && 2 * lower >= count;
        for (int i = 0; i < count; i++) always = always && residual_ratio(e, g, before, k[i]) <= 1 + margin;
        if (c)
            tell(c, " %s: lower at %d of %d (%+.0f %% at 10 atoms, %+.0f %% at 40);", g->label, lower, count,
                 percent(e, g, base, 10), percent(e, g, base, 40));
        before = g;
    }
    return always ? HOLDS : mostly ? PARTLY : FAILS;
}

/* Whether a setting of the family has lower residuals than none, at all cardinalities and by more than the margin. */
static int has_winner(const experiment *e, family f) {
    const grid_run *base = grid_find(e, KSVD, 1, 0);
    const double *k;
    const int count = cardinalities(e, &k);
    for (const grid_run *g = next_of(e, f, f == KSVD ? base : NULL, 0); g; g = next_of(e, f, g, 0)) {
        if (count_below(e, g, base, 1 - margin) == count) return 1;
    }
    return 0;
}

/* The same comparison by whole recordings, in which speech outweighs pauses; it has no part in the verdict. */
static void tell_recordings(const experiment *e, family f, claim *c) {
    const grid_run *base = grid_find(e, f, 0, 0);
    tell(c, "; over recordings instead of windows:");
    for (const grid_run *g = next_of(e, f, base, 1); g; g = next_of(e, f, g, 1))
        tell(c, " %s: %+.0f %% at 10 atoms, %+.0f %% at 40;", g->label, recording_percent(e, g, base, 10),
             recording_percent(e, g, base, 40));
    c->measured[strlen(c->measured) - 1] = 0;
}

static void judge_improvement(const experiment *e, claim *c) {
    const int others = has_winner(e, KSVD) || has_winner(e, INKSVD);
    tell(c, "median over windows against γ = 0, as published:");
    c->verdict = improves(e, RESCALE, grid_find(e, RESCALE, 0, 0), 1, c);
    tell(c, " on the spheres (%s):", claims_verdict(improves(e, SPHERE, grid_find(e, SPHERE, 0, 0), 1, NULL)));
    improves(e, SPHERE, grid_find(e, SPHERE, 0, 0), 1, c);
    tell(c, " K-SVD and INK-SVD: %s",
         others ? "a setting below 1 is lower at all cardinalities too" : "no setting below 1 is lower at all");
    tell_recordings(e, RESCALE, c);
    if (others && c->verdict == HOLDS) c->verdict = PARTLY;
}

/* ---- Coherence, recovery, theory: C9 to C11 ---- */

static void judge_mass(const experiment *e, claim *c) {
    static const double gammas[] = {0, 5, 50};
    double largest[3], mass[3];
    for (int i = 0; i < 3; i++) {
        const grid_run *g = grid_find(e, RESCALE, gammas[i], 0);
        largest[i] = value_of(e, g, "coherence_max");
        mass[i] = 0; /* share of pairs with an inner product below 0.1 */
        for (int bin = 0; bin < 10; bin++)
            mass[i] += seeds_over(e, g, "histogram", (double)bin / REPRODUCE_BINS).median;
    }
    const int stays = fabs(largest[1] - largest[0]) <= 0.15 && fabs(largest[2] - largest[0]) <= 0.15;
    const int moves = mass[1] > mass[0] && mass[2] > mass[0];
    tell(c, "γ = 0, 5, 50: largest coherence %.3f, %.3f, %.3f; share of pairs below 0.1: %.1f %%, %.1f %%, %.1f %%",
         largest[0], largest[1], largest[2], 100 * mass[0], 100 * mass[1], 100 * mass[2]);
    c->verdict = by_parts(stays + moves, 2);
}

/* Mean over the planted cardinalities. */
static double recovered(const experiment *e, const grid_run *g, const char *name) {
    int count;
    double sum = 0, *share = g ? seeds_list(e, g, name, &count, NULL) : NULL;
    for (int i = 0; share && i < count; i++) sum += share[i] / count;
    free(share);
    return sum;
}

static void judge_recovery(const experiment *e, claim *c) {
    static const double gammas[] = {0, 5, 50};
    double atoms[2][3], supports[3];
    for (int i = 0; i < 3; i++) {
        atoms[0][i] = recovered(e, grid_find(e, RESCALE, gammas[i], 1), "recovered_atoms");
        atoms[1][i] = recovered(e, grid_find(e, SPHERE, gammas[i], 1), "recovered_atoms");
        supports[i] = recovered(e, grid_find(e, RESCALE, gammas[i], 1), "recovered_supports");
    }
    tell(c,
         "γ = 0, 5, 50, mean over 1 to 60 planted of %d atoms: %.1f %%, %.1f %%, %.1f %% of the atoms and %.1f %%, "
         "%.1f %%, %.1f %% of the whole supports recovered; on the spheres %.1f %%, %.1f %%, %.1f %% of the atoms",
         REPRODUCE_RECOVERY_ATOMS, 100 * atoms[0][0], 100 * atoms[0][1], 100 * atoms[0][2], 100 * supports[0],
         100 * supports[1], 100 * supports[2], 100 * atoms[1][0], 100 * atoms[1][1], 100 * atoms[1][2]);
    const int first = atoms[0][1] > atoms[0][0] + margin, second = atoms[0][2] > atoms[0][1] - margin;
    c->verdict = first && second ? HOLDS : first || atoms[0][2] > atoms[0][0] + margin ? PARTLY : FAILS;
}

/* Number of cardinalities below (1 + 1/mu)/2, beyond rounding, at which not all planted codes were recovered; adds the
 * number of those tested to *tried. */
static int broken_promises(const numbers *n, int *tried) {
    const double *k, *share;
    const int count = numbers_of(n, "recovered_supports", &k, &share);
    int broken = 0;
    for (int i = 0; i < count; i++) {
        if (k[i] + 1e-6 >= (1 + 1 / numbers_at(n, "coherence_max", 0)) / 2) continue;
        broken += share[i] < 1;
        ++*tried;
    }
    return broken;
}

static void judge_theory(const experiment *e, claim *c) {
    int outside = 0, broken = 0, tried = 0;
    double least = INFINITY;
    for (int i = 0; i < e->seeds * e->runs; i++) {
        const double mu = numbers_at(&e->figures[i], "coherence_max", 0),
                     welch = numbers_at(&e->figures[i], "welch", 0);
        outside += !(mu >= welch && mu <= 1 + 1e-6);
        least = fmin(least, mu / welch);
        broken += broken_promises(&e->figures[i], &tried);
    }
    tell(c,
         "Welch bound %.5f; largest coherence outside of [Welch, 1] in %d of %d dictionaries, the least %.2f times the "
         "bound; planted codes below (1 + 1/μ)/2 atoms not all recovered in %d of %d cases",
         value_of(e, grid_find(e, KSVD, 1, 0), "welch"), outside, e->seeds * e->runs, least, broken, tried);
    c->verdict = outside || broken ? FAILS : HOLDS;
}

/* ---- Convergence and trade-off: C12, C13 ---- */

/* Relative change of error and cardinality, whichever is larger, over the last five iterations, or over all if there
 * are fewer. */
static double last_change(const numbers *n) {
    const double *error, *atoms;
    const int count = numbers_of(n, "iteration_error", NULL, &error), last = count - 1,
              before = count > 5 ? last - 5 : 0;
    numbers_of(n, "iteration_cardinality", NULL, &atoms);
    if (count < 2) return NAN;
    return fmax(fabs(error[last] / error[before] - 1), fabs(atoms[last] / atoms[before] - 1));
}

static int raised(const numbers *n) {
    const double *change;
    int count = numbers_of(n, "iteration_change", NULL, &change), raises = 0;
    for (int i = 0; i < count; i++) raises += change[i] > 1e-9;
    return raises;
}

/* Number of updates of a family that increased the objective, over all runs and seeds; adds the number of all updates
 * to *updates. */
static int count_raised(const experiment *e, family f, int *updates) {
    int raises = 0;
    *updates = 0;
    for (int i = 0; i < e->seeds * e->runs; i++) {
        const grid_run *g = &e->grid[i % e->runs];
        if (g->family != f || !g->generalises) continue;
        raises += raised(&e->figures[i]);
        *updates += (int)e->iterations;
    }
    return raises;
}

static void judge_convergence(const experiment *e, claim *c) {
    int runs = 0, quiet = 0, updates, updates_sphere;
    const int raises = count_raised(e, RESCALE, &updates), raises_sphere = count_raised(e, SPHERE, &updates_sphere);
    double worst = 0;
    const char *who = "";
    for (int i = 0; i < e->seeds * e->runs; i++) {
        const grid_run *g = &e->grid[i % e->runs];
        const int of_paper = g->family == KSVD || g->family == INKSVD || g->family == RESCALE;
        if (!of_paper || !g->generalises) continue;
        const double change = last_change(&e->figures[i]);
        runs++;
        quiet += change <= settled;
        if (change > worst) who = g->id;
        worst = fmax(worst, change);
    }
    tell(c,
         "over the last %d of %lld iterations error and cardinality change by %.0f %% or less in %d of %d runs (most: "
         "%.1f %%, %s); %d of %d updates of IDL raised the objective (on the spheres %d of %d)",
         e->iterations > 5 ? 5 : (int)e->iterations - 1, (long long)e->iterations, 100 * settled, quiet, runs,
         100 * worst, who, raises, updates, raises_sphere, updates_sphere);
    c->verdict = quiet == runs && !raises ? HOLDS : 4 * quiet >= 3 * runs || !raises ? PARTLY : FAILS;
}

static int rms_falls(const experiment *e, family f) {
    double before = INFINITY;
    int falls = 1;
    for (const grid_run *g = next_of(e, f, NULL, 1); g; g = next_of(e, f, g, 1)) {
        const double now = value_of(e, g, "coherence_rms");
        falls = falls && now <= before * (1 + 1e-4);
        before = now;
    }
    return falls;
}

static void judge_trade_off(const experiment *e, claim *c) {
    const grid_run *zero = grid_find(e, RESCALE, 0, 0), *mod = grid_find(e, MOD, 0, 0),
                   *end = grid_find(e, RESCALE, 500, 0), *sphere = grid_find(e, SPHERE, 500, 0);
    const double off = fabs(residual_ratio(e, zero, mod, 10) - 1), welch = value_of(e, end, "welch"),
                 rms = value_of(e, end, "coherence_rms"), atoms = value_of(e, zero, "mean_cardinality");
    int sparsest = 1;
    for (const grid_run *g = next_of(e, RESCALE, zero, 1); g; g = next_of(e, RESCALE, g, 1))
        sparsest = sparsest && value_of(e, g, "mean_cardinality") >= atoms;
    const int least_squares = off <= alike, tight = rms <= welch * (1 + margin), between = rms_falls(e, RESCALE);
    tell(c,
         "γ = 0 differs from plain least squares (MOD) by %.1f %% in the test residual with 10 atoms; γ = 500 ends at "
         "%.3f times the Welch bound in RMS coherence (on the spheres %.4f), but at a largest coherence of %.2f: a "
         "tight frame, not an equiangular one; between them RMS coherence %s; atoms per training signal ",
         100 * off, rms / welch, value_of(e, sphere, "coherence_rms") / welch, value_of(e, end, "coherence_max"),
         between ? "falls" : "does not always fall");
    tell_family(e, c, RESCALE, 1, "mean_cardinality", "%.1f");
    tell(c, ": the codes are %s at γ = 0", sparsest ? "sparsest" : "not sparsest");
    c->verdict = by_parts(least_squares + tight + between + sparsest, 4);
}

/* ---- All claims ---- */

void claims_judge(const experiment *e, claim *claims) {
    static const char *const ids[CLAIMS] = {"C1", "C2", "C3",  "C4",  "C5",  "C6", "C7",
                                            "C8", "C9", "C10", "C11", "C12", "C13"};
    static void (*const judges[CLAIMS])(const experiment *e,
                                        claim *c) = {judge_reference,     judge_flatness,    judge_replacement,
                                                     judge_decorrelation, judge_unbounded,   judge_replacement_residual,
                                                     judge_crossover,     judge_improvement, judge_mass,
                                                     judge_recovery,      judge_theory,      judge_convergence,
                                                     judge_trade_off};
    for (int i = 0; i < CLAIMS; i++) {
        claims[i] = (claim){.id = ids[i], .text = texts[i]};
        judges[i](e, &claims[i]);
    }
}
