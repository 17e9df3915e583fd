#include "update/curvature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mat/blas.h"
#include "mat/mat.h"

enum { MAX_STEPS = 40 };
static const double DAMPING = 0.3;   /* of the median of 2 A_jj, in every curvature */
static const double CAUTION = 0.5;   /* the same, more with pairs near a bound */
static const double ACCURACY = 0.1;  /* what the residual of (CURV-5) may cost, relative to the decrease expected */
static const double LASTING = 3;     /* a basis is kept while (CURV-10) holds with this factor */
static const double STRAIGHT = 0.05; /* what a path that is not bent may cost, relative to the decrease expected */

/* ---- Workspace ---- */

static int has_frame(const curvature_model *w) {
    return w->turned.data != NULL;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double curvature_median(const inco_mat *a, double *sorted) {
    for (int64_t j = 0; j < a->cols; j++) sorted[j] = 2 * mat_get(a, j, j);
    qsort(sorted, (size_t)a->cols, sizeof *sorted, by_size);
    return sorted[a->cols / 2];
}

int curvature_has_frame(const statistics *s, const update_settings *settings) {
    return settings->gamma > 0 && s->b.rows <= s->b.cols;
}

/* Without a floor, atoms of little use would follow every change of the frame. */
double curvature_fit(const statistics *s, const update_settings *settings, double *fit) {
    const int64_t cols = s->a.cols;
    const double median = curvature_median(&s->a, fit), largest = fit[cols - 1], penalty = 4 * settings->gamma;
    const double frame = !curvature_has_frame(s, settings) ? penalty
                         : settings->rescale               ? 0.003 * penalty
                                                           : DAMPING * median + 2e-3 * penalty;
    const double least = frame + 5e-10 * largest;
    for (int64_t j = 0; j < cols; j++) fit[j] = 2 * mat_get(&s->a, j, j) + (least > 0 ? least : 1);
    return median;
}

/* 2 A_jj and a floor; the same with another one for pairs near a bound. */
static void take_fit(curvature_model *w, const statistics *s, const update_settings *settings) {
    const double median = curvature_fit(s, settings, w->fit);
    double largest = 0;
    for (int64_t j = 0; j < s->a.cols; j++) {
        const double use = 2 * mat_get(&s->a, j, j);
        w->caution[j] = use + CAUTION * median;
        largest = fmax(largest, use);
    }
    w->unit = largest + 4 * w->gamma;
    if (!(w->unit > 0)) w->unit = 1;
}

static int open_frame(curvature_model *w, int64_t rows, inco_error *error) {
    inco_mat *small[] = {&w->turned,         &w->scale.frame,     &w->solution.frame,
                         &w->residual.frame, &w->direction.frame, &w->image.frame};
    int status = INCO_OK;
    for (size_t i = 0; i < sizeof small / sizeof *small && status >= 0; i++)
        status = mat_new_raw(small[i], INCO_F32, rows, rows, error);
    return status;
}

int curvature_open(curvature_model *w, const statistics *s, const update_settings *settings, inco_error *error) {
    const int64_t rows = s->b.rows, cols = s->b.cols;
    int status;
    *w = (curvature_model){.gamma = settings->gamma, .sphere = !settings->rescale, .threads = settings->threads};
    w->push = w->sphere ? settings->push : 0;
    w->bound = settings->bound;
    w->fit = NEW_RAW(double, 2 * cols);
    w->left = NEW(double, rows);
    w->tangent = NEW(float, cols);
    w->square = NEW(float, cols);
    if (!w->fit || !w->left || !w->tangent || !w->square) TRY(error_no_memory(error));
    w->caution = w->fit + cols;
    TRY(mat_new_raw(&w->atoms, INCO_F32, rows, cols, error));
    TRY(mat_new_raw(&w->weight, INCO_F32, rows, cols, error));
    TRY(mat_new_raw(&w->right, INCO_F32, rows, cols, error));
    TRY(mat_new_raw(&w->step, INCO_F32, rows, cols, error));
    TRY(mat_new_raw(&w->sum, INCO_F32, rows, cols, error));
    if (curvature_has_frame(s, settings)) TRY(open_frame(w, rows, error));
    take_fit(w, s, settings);
done:
    return status;
}

void curvature_close(curvature_model *w) {
    inco_mat *owned[] = {&w->atoms,      &w->weight,      &w->right,          &w->step,           &w->sum,
                         &w->turned,     &w->scale.frame, &w->solution.frame, &w->residual.frame, &w->direction.frame,
                         &w->image.frame};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) inco_mat_free(owned[i]);
    memory_free(w->fit);
    memory_free(w->left);
    memory_free(w->tangent);
    memory_free(w->square);
    memory_free(w->scale.pair);
    memory_free(w->place);
    memory_free(w->tied.start);
    memory_free(w->tied.near);
    memory_free(w->tied.mirror);
}

/* ---- The curvature at a dictionary ---- */

typedef struct placing {
    curvature_model *w;
    const double *radial;
} placing;

/* (CURV-2); the right-hand side gets the squares of the atoms' entries. */
static void weigh_columns(void *self, int64_t first, int64_t end) {
    const placing *p = self;
    curvature_model *w = p->w;
    const int64_t rows = w->weight.rows;
    for (int64_t j = first; j < end; j++) {
        const double radial = p->radial ? p->radial[j] : 0;
        const double fixed = w->fit[j] + (w->list ? w->caution[j] : w->crowd);
        const float *atom = mat_column(&w->atoms, j);
        float *weight = mat_column(&w->weight, j), *square = mat_column(&w->right, j);
        double sum = 0;
        for (int64_t i = 0; i < rows; i++) {
            weight[i] = (float)(w->unit / (fixed + fabs(4 * w->gamma * w->left[i] - radial)));
            square[i] = atom[i] * atom[i];
            sum += weight[i] * square[i];
        }
        w->tangent[j] = (float)(w->sphere && sum > 0 ? 1 / sum : 0);
    }
}

/* (CURV-6), the frame, from k_il = sum_j w_ij d_lj^2. */
static void scale_frame(curvature_model *w) {
    const int64_t rows = w->turned.rows;
    blas_multiply(w->threads, "NT", 4 * w->gamma / w->unit, &w->weight, &w->right, 0, &w->turned);
    for (int64_t l = 0; l < rows; l++)
        for (int64_t i = 0; i < rows; i++)
            mat_set(&w->scale.frame, i, l, 1 / (1 + mat_get(&w->turned, i, l) + mat_get(&w->turned, l, i)));
}

/* ---- Pairs near the bound ---- */

/* <a, b>, in sixteen sums that compilers keep in registers. */
static float dot(int64_t n, const float *a, const float *b) {
    float part[16] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int k = 0; k < 16; k++) part[k] += a[i + k] * b[i + k];
    for (; i < n; i++) sum += a[i] * b[i];
    for (int k = 0; k < 16; k++) sum += part[k];
    return sum;
}

static int reserve_pairs(curvature_model *w, int64_t entries, inco_error *error) {
    float **all[] = {&w->scale.pair, &w->solution.pair, &w->residual.pair, &w->direction.pair, &w->image.pair,
                     &w->value,      &w->share,         &w->product,       &w->spring};
    const int count = sizeof all / sizeof *all;
    if (entries <= w->capacity) return INCO_OK;
    memory_free(w->scale.pair);
    memory_free(w->place);
    memory_free(w->tied.near);
    memory_free(w->tied.mirror);
    w->capacity = 0;
    w->scale.pair = NEW_RAW(float, count *entries);
    w->place = NEW_RAW(int64_t, entries);
    w->tied.near = NEW_RAW(int32_t, entries);
    w->tied.mirror = NEW_RAW(int64_t, entries);
    if (!w->tied.start) w->tied.start = NEW(int64_t, w->atoms.cols + 1);
    if (!w->scale.pair || !w->place || !w->tied.near || !w->tied.mirror || !w->tied.start)
        return error_no_memory(error);
    w->capacity = entries;
    for (int k = 1; k < count; k++) *all[k] = w->scale.pair + k * entries;
    return INCO_OK;
}

/* d_i' diag(w_j) d_i for neighbours i of atoms j. */
static void scale_columns(void *self, int64_t first, int64_t end) {
    const curvature_model *w = self;
    const int64_t rows = w->atoms.rows;
    for (int64_t j = first; j < end; j++)
        for (int64_t k = w->tied.start[j]; k < w->tied.start[j + 1]; k++) {
            const float *weight = mat_column(&w->weight, j), *near = mat_column(&w->atoms, w->tied.near[k]);
            float sum = 0;
            for (int64_t i = 0; i < rows; i++) sum += weight[i] * near[i] * near[i];
            w->product[k] = sum;
        }
}

/* The list of the pairs with a share, and (CURV-6) for them. */
static void tie(curvature_model *w) {
    const hinge_list *list = w->list;
    hinge_list *tied = &w->tied;
    tied->count = 0;
    for (int64_t j = 0; j < w->atoms.cols; j++) {
        tied->start[j] = tied->count;
        for (int64_t k = list->start[j]; k < list->start[j + 1]; k++) {
            w->place[k] = tied->count;
            if (w->share[k] == 0) continue;
            tied->near[tied->count] = list->near[k];
            tied->mirror[tied->count] = list->mirror[k];
            w->spring[tied->count++] = (float)(2 * w->push / w->unit) * w->share[k];
        }
    }
    tied->start[w->atoms.cols] = tied->count;
    for (int64_t k = 0; k < tied->count; k++) tied->mirror[k] = w->place[tied->mirror[k]];
    parallel_columns(w->threads, w->atoms.rows, w->atoms.cols, scale_columns, w);
    for (int64_t k = 0; k < tied->count; k++)
        w->scale.pair[k] = 1 / (1 + w->spring[k] * (w->product[k] + w->product[tied->mirror[k]]));
}

typedef struct products {
    const curvature_model *w;
    const inco_mat *m;
} products;

static void multiply_columns(void *self, int64_t first, int64_t end) {
    const products *p = self;
    const hinge_list *list = p->w->list;
    for (int64_t j = first; j < end; j++)
        for (int64_t k = list->start[j]; k < list->start[j + 1]; k++)
            p->w->product[k] = dot(p->m->rows, mat_column(p->m, list->near[k]), mat_column(p->m, j));
}

/* product = m_i'm_j for the pairs near the bound. */
static void multiply_pairs(const curvature_model *w, const inco_mat *m) {
    products p = {w, m};
    parallel_columns(w->threads, m->rows, m->cols, multiply_columns, &p);
}

/* Pairs above the bound have all of their curvature, others none. */
static void take_pairs(curvature_model *w) {
    multiply_pairs(w, &w->atoms);
    memcpy(w->value, w->product, (size_t)w->list->count * sizeof *w->value);
    for (int64_t k = 0; k < w->list->count; k++) w->share[k] = fabsf(w->value[k]) > (float)w->bound;
    tie(w);
}

/* ---- The frame ---- */

/* (CURV-10) */
int curvature_is_diagonal(const inco_mat *e, double slack) {
    const int64_t rows = e->rows;
    double mean = 0, spread = 0, coupling = 0;
    for (int64_t i = 0; i < rows; i++) mean += mat_get(e, i, i) / (double)rows;
    for (int64_t i = 0; i < rows; i++) {
        const double at = mat_get(e, i, i);
        spread += (at - mean) * (at - mean);
        coupling += mat_column_energy(e, i) - at * at;
    }
    return sqrt(fmax(coupling, 0)) <= slack * (0.03 * sqrt((double)rows) + 0.1 * sqrt(spread));
}

static void take_frame(curvature_model *w, const inco_mat *e) {
    for (int64_t i = 0; i < e->rows; i++) w->left[i] = mat_get(e, i, i);
    w->askew = !curvature_is_diagonal(e, LASTING);
}

/* ---- Steps of single atoms ---- */

/* (CURV-3), in place: what each atom would do alone. */
static void divide_columns(void *self, int64_t first, int64_t end) {
    const curvature_model *w = self;
    const int64_t rows = w->weight.rows;
    for (int64_t j = first; j < end; j++) {
        const float *weight = mat_column(&w->weight, j), *atom = mat_column(&w->atoms, j);
        float *step = mat_column(&w->step, j);
        for (int64_t i = 0; i < rows; i++) step[i] *= weight[i];
        const float along = w->tangent[j] * dot(rows, atom, step);
        for (int64_t i = 0; i < rows; i++) step[i] -= along * weight[i] * atom[i];
    }
}

static void divide(curvature_model *w) {
    parallel_columns(w->threads, w->weight.rows, w->weight.cols, divide_columns, w);
}

/* ---- Vectors of conjugate gradients ---- */

/* <a, b> = 2 gamma <frames> + 2 push (sum over pairs), in which (CURV-5) is symmetric. */
static double change_dot(const curvature_model *w, const curvature_change *a, const curvature_change *b) {
    double frame = 0, pair = 0;
    for (int64_t j = 0; has_frame(w) && j < a->frame.cols; j++) frame += mat_column_dot(&a->frame, &b->frame, j);
    for (int64_t k = 0; k < w->tied.count; k++) pair += w->spring[k] * (double)a->pair[k] * (double)b->pair[k];
    return 2 * w->gamma / w->unit * frame + pair / 2;
}

/* a = x + t b */
static void change_add(const curvature_model *w, const curvature_change *a, const curvature_change *x, double t,
                       const curvature_change *b) {
    float *to = a->frame.data;
    const float *from = x->frame.data, *by = b->frame.data, factor = (float)t;
    for (int64_t i = 0; has_frame(w) && i < a->frame.rows * a->frame.cols; i++) to[i] = from[i] + factor * by[i];
    for (int64_t k = 0; k < w->tied.count; k++) a->pair[k] = x->pair[k] + factor * b->pair[k];
}

/* ---- Changes of the frame and of pairs ---- */

typedef struct spreading {
    const curvature_model *w;
    const curvature_change *change;
} spreading;

static void spread_pairs(void *self, int64_t first, int64_t end) {
    const spreading *p = self;
    const curvature_model *w = p->w;
    for (int64_t j = first; j < end; j++)
        for (int64_t k = w->tied.start[j]; k < w->tied.start[j + 1]; k++) {
            const float *near = mat_column(&w->atoms, w->tied.near[k]), by = w->spring[k] * p->change->pair[k];
            float *step = mat_column(&w->step, j);
            for (int64_t i = 0; i < w->step.rows; i++) step[i] += by * near[i];
        }
}

/* step += 2 push (sum over pairs of v_ij (d_i e_j' + d_j e_i')) */
static void add_pairs(const curvature_model *w, const curvature_change *change) {
    const spreading p = {w, change};
    if (w->tied.count) parallel_columns(w->threads, w->step.rows, w->step.cols, spread_pairs, (void *)&p);
}

static void clear_step(const curvature_model *w) {
    memset(w->step.data, 0, (size_t)(w->step.rows * w->step.cols) * sizeof(float));
}

/* step = 4 gamma S D + 2 push (sum over pairs) */
static void spread(const curvature_model *w, const curvature_change *change) {
    if (has_frame(w))
        blas_multiply(w->threads, "NN", 4 * w->gamma / w->unit, &change->frame, &w->atoms, 0, &w->step);
    else
        clear_step(w);
    add_pairs(w, change);
}

/* product = d_i'p_j for neighbours i of atoms j. */
static void project_pairs(void *self, int64_t first, int64_t end) {
    const curvature_model *w = self;
    for (int64_t j = first; j < end; j++)
        for (int64_t k = w->tied.start[j]; k < w->tied.start[j + 1]; k++)
            w->product[k] = dot(w->step.rows, mat_column(&w->atoms, w->tied.near[k]), mat_column(&w->step, j));
}

/* d_i'p_j + d_j'p_i */
static void gather_pairs(curvature_model *w, float *to) {
    if (!w->tied.count) return;
    parallel_columns(w->threads, w->step.rows, w->step.cols, project_pairs, w);
    for (int64_t k = 0; k < w->tied.count; k++) to[k] = w->product[k] + w->product[w->tied.mirror[k]];
}

/* The changes that the step P makes: P D' + D P', and d_i'p_j + d_j'p_i. */
static void gather(curvature_model *w, const curvature_change *to) {
    if (has_frame(w)) blas_multiply(w->threads, "NT", 1, &w->step, &w->atoms, 0, &w->turned);
    for (int64_t l = 0; l < w->turned.cols; l++)
        for (int64_t i = 0; i < w->turned.rows; i++)
            mat_set(&to->frame, i, l, mat_get(&w->turned, i, l) + mat_get(&w->turned, l, i));
    gather_pairs(w, to->pair);
}

/* image = the left-hand side of (CURV-5), of the direction. */
static void apply_system(curvature_model *w) {
    spread(w, &w->direction);
    divide(w);
    gather(w, &w->image);
    change_add(w, &w->image, &w->image, 1, &w->direction);
}

/* image = the residual scaled by (CURV-6); on the spheres without the frame's part along I, which no step changes. */
static void scale_residual(curvature_model *w) {
    const inco_mat *to = &w->image.frame, *scale = &w->scale.frame, *from = &w->residual.frame;
    double trace = 0, sum = 0;
    for (int64_t i = 0; i < to->rows * to->cols; i++)
        ((float *)to->data)[i] = ((const float *)scale->data)[i] * ((const float *)from->data)[i];
    for (int64_t k = 0; k < w->tied.count; k++) w->image.pair[k] = w->scale.pair[k] * w->residual.pair[k];
    if (!w->sphere || !has_frame(w)) return;
    for (int64_t i = 0; i < to->rows; i++) trace += mat_get(to, i, i), sum += mat_get(scale, i, i);
    for (int64_t i = 0; i < to->rows; i++) mat_set(to, i, i, mat_get(to, i, i) - mat_get(scale, i, i) * trace / sum);
}

/* sum += t W(R), the step that apply_system has left. */
static void add_step(const curvature_model *w, double t) {
    float *sum = w->sum.data, by = (float)t;
    const float *step = w->step.data;
    for (int64_t i = 0; i < w->sum.rows * w->sum.cols; i++) sum[i] += by * step[i];
}

/* (CURV-5) by conjugate gradients, until what the residual costs is little beside the decrease expected, and with it
 * (CURV-4), the step in `sum`. `gain`: <R, P> of the step that ignores the frame and the pairs, in `step`. */
static void solve_system(curvature_model *w, double gain) {
    mat_copy(&w->sum, &w->step);
    gather(w, &w->residual);
    scale_residual(w);
    change_add(w, &w->direction, &w->image, 0, &w->image);
    double product = change_dot(w, &w->residual, &w->direction);
    w->solves++;
    for (int k = 0; k < MAX_STEPS && product > 0; k++) {
        apply_system(w);
        const double t = product / change_dot(w, &w->direction, &w->image);
        add_step(w, -t);
        change_add(w, &w->residual, &w->residual, -t, &w->image);
        gain -= t * product;
        w->steps++;
        if (change_dot(w, &w->residual, &w->residual) <= ACCURACY * fmax(gain, 0)) break;
        scale_residual(w);
        const double next = change_dot(w, &w->residual, &w->image);
        change_add(w, &w->direction, &w->image, next / product, &w->direction);
        product = next;
    }
}

/* ---- Its inverse ---- */

/* right = from / unit */
static void enter(const curvature_model *w, const double *from, double unit) {
    float *right = w->right.data;
    for (int64_t i = 0; i < w->right.rows * w->right.cols; i++) right[i] = (float)(from[i] / unit);
}

/* to += the step */
static void leave(const curvature_model *w, double *to) {
    const float *step = w->step.data;
    for (int64_t i = 0; i < w->step.rows * w->step.cols; i++) to[i] += step[i];
}

/* step = M^-1 right */
static void solve(curvature_model *w) {
    double gain = 0;
    mat_copy(&w->step, &w->right);
    divide(w);
    if (!has_frame(w) && !w->tied.count) return;
    for (int64_t j = 0; j < w->right.cols; j++) gain += mat_column_dot(&w->right, &w->step, j);
    solve_system(w, gain);
    mat_copy(&w->step, &w->sum);
}

void curvature_solve(curvature_model *w, double *q) {
    enter(w, q, w->unit);
    solve(w);
    memset(q, 0, (size_t)(w->step.rows * w->step.cols) * sizeof *q);
    leave(w, q);
}

void curvature_add_pairs(curvature_model *w, const double *s, double *y) {
    if (w->crowd > 0) blas_axpy(w->step.rows * w->step.cols, w->crowd, s, y);
    if (!w->tied.count) return;
    enter(w, s, w->unit);
    mat_copy(&w->step, &w->right);
    gather_pairs(w, w->solution.pair);
    for (int64_t k = 0; k < w->tied.count; k++) w->solution.pair[k] *= (float)(w->unit * w->unit);
    clear_step(w);
    add_pairs(w, &w->solution);
    leave(w, y);
}

/* ---- Where the model is taken ---- */

static void step_columns(void *self, int64_t first, int64_t end) {
    const curvature_model *w = self;
    const int64_t rows = w->step.rows;
    for (int64_t j = first; j < end; j++) {
        const float *atom = mat_column(&w->atoms, j);
        float *step = mat_column(&w->step, j), sum = 0;
        for (int64_t i = 0; i < rows; i++) step[i] = atom[i] - step[i];
        for (int64_t i = 0; i < rows; i++) sum += step[i] * step[i];
        const float by = sum > 0 ? 1 / sqrtf(sum) : 0;
        for (int64_t i = 0; i < rows; i++) step[i] *= by;
    }
}

/* (CURV-8): the share of its curvature with which a pair that goes from |d_i'd_j| = from to `to` costs what it does. */
static double secant_share(double bound, double from, double to) {
    const double before = fmax(0, from - bound), after = fmax(0, to - bound), change = to - from;
    if (fabs(change) < 1e-6) return before > 0;
    return fmin(fmax((after * after - before * before - 2 * before * change) / (change * change), 0), 1);
}

/* Shares of pairs, from where the step of this model leads. */
static void aim(curvature_model *w, const double *gradient) {
    enter(w, gradient, w->unit);
    solve(w);
    parallel_columns(w->threads, w->atoms.rows, w->atoms.cols, step_columns, w);
    multiply_pairs(w, &w->step);
    for (int64_t k = 0; k < w->list->count; k++) {
        const double from = w->value[k], to = from < 0 ? -w->product[k] : w->product[k];
        w->share[k] = (float)secant_share(w->bound, fabs(from), to);
    }
    tie(w);
}

/* (CURV-9): pairs without a list enter by their mean number. */
static double crowd_of(const curvature_model *w, const hinge *pairs) {
    if (w->list || !pairs) return 0;
    return 8 * w->push * (double)pairs->pairs / (double)(w->atoms.rows * w->atoms.cols);
}

int curvature_move(curvature_model *w, const curvature_place *at, inco_error *error) {
    placing p = {w, w->sphere ? at->radial : NULL};
    int status = INCO_OK;
    w->list = at->pairs && at->pairs->listed && at->pairs->list.count > 0 ? &at->pairs->list : NULL;
    w->crowd = crowd_of(w, at->pairs);
    w->tied.count = 0;
    if (has_frame(w)) take_frame(w, at->e);
    mat_copy(&w->atoms, at->d);
    parallel_columns(w->threads, at->d->rows, at->d->cols, weigh_columns, &p);
    if (has_frame(w)) scale_frame(w);
    if (!w->list) goto done;
    TRY(reserve_pairs(w, w->list->count, error));
    take_pairs(w);
    aim(w, at->gradient);
done:
    return status;
}

/* ---- A path along which the frame changes to first order alone ---- */

/* second = P P' - D diag(|p_j|^2) D' of the step P in `right` */
static void take_second_order(const curvature_model *w, const inco_mat *second) {
    for (int64_t j = 0; j < w->atoms.cols; j++) {
        const float *atom = mat_column(&w->atoms, j), length = sqrtf(-w->square[j]);
        float *step = mat_column(&w->step, j);
        for (int64_t i = 0; i < w->atoms.rows; i++) step[i] = length * atom[i];
    }
    blas_multiply(w->threads, "NT", 1, &w->right, &w->right, 0, second);
    blas_multiply(w->threads, "NT", -1, &w->step, &w->step, 1, second);
}

/* x = the solution of x H + H x = from, H = D D' taken as diagonal; where H is small, so is x. */
static void solve_sylvester(const curvature_model *w, const inco_mat *from, const inco_mat *x) {
    const int64_t rows = x->rows;
    double largest = 0;
    for (int64_t i = 0; i < rows; i++) largest = fmax(largest, w->left[i] + 1);
    const double least = 1e-3 * largest;
    for (int64_t l = 0; l < rows; l++)
        for (int64_t i = 0; i < rows; i++) {
            const double h = w->left[i] + w->left[l] + 2;
            mat_set(x, i, l, mat_get(from, i, l) * h / (h * h + least * least));
        }
}

/* step = -X D, X the solution for `second` */
static void undo(const curvature_model *w, const inco_mat *second) {
    solve_sylvester(w, second, &w->solution.frame);
    blas_multiply(w->threads, "NN", -1, &w->solution.frame, &w->atoms, 0, &w->step);
}

/* second += 2 D diag(d_j'X d_j) D', from `step` */
static void add_lift(const curvature_model *w, const inco_mat *second) {
    for (int64_t j = 0; j < w->atoms.cols; j++) {
        const float lift = -2 * (float)mat_column_dot(&w->atoms, &w->step, j), *atom = mat_column(&w->atoms, j);
        float *lifted = mat_column(&w->sum, j);
        for (int64_t i = 0; i < w->atoms.rows; i++) lifted[i] = lift * atom[i];
    }
    blas_multiply(w->threads, "NT", 1, &w->sum, &w->atoms, 1, second);
}

/* step = the bend that the frame asks for, of the step in `right`; 0 where a straight path costs it little. */
static int bend_frame(curvature_model *w, double expected) {
    const int64_t rows = w->atoms.rows;
    const inco_mat *second = &w->residual.frame;
    double change = 0;
    take_second_order(w, second);
    for (int64_t i = 0; i < rows; i++) change += mat_column_energy(second, i);
    if (w->gamma * change <= STRAIGHT * expected) return 0;
    undo(w, second);
    add_lift(w, second);
    undo(w, second);
    for (int64_t j = 0; j < w->atoms.cols; j++) {
        const float *atom = mat_column(&w->atoms, j);
        const float radial = w->square[j] / 2 - (float)mat_column_dot(&w->atoms, &w->step, j); /* -n_j */
        float *step = mat_column(&w->step, j);
        for (int64_t i = 0; i < rows; i++) step[i] += radial * atom[i];
    }
    return 1;
}

/* What the products of pairs change to second order along the step in `right`, with its sign changed, in the solution.
 * Returns what it costs. */
static double second_order(curvature_model *w) {
    const hinge_list *list = w->list;
    double cost = 0;
    multiply_pairs(w, &w->right);
    for (int64_t j = 0; j < w->atoms.cols; j++)
        for (int64_t k = list->start[j]; k < list->start[j + 1]; k++) {
            if (w->share[k] == 0) continue;
            const int64_t to = w->place[k];
            const float both = w->square[j] + w->square[list->near[k]];
            w->solution.pair[to] = -(w->product[k] + w->value[k] * both / 2);
            cost += w->unit / 4 * w->spring[to] * (double)w->solution.pair[to] * (double)w->solution.pair[to];
        }
    return cost;
}

/* The step is the frame's bend: the solution without what it changes. Its radial part keeps unit norms, which
 * second_order counts already. */
static void take_bend(curvature_model *w) {
    for (int64_t j = 0; j < w->atoms.cols; j++) {
        const float *atom = mat_column(&w->atoms, j), by = w->square[j] / 2;
        float *step = mat_column(&w->step, j);
        for (int64_t i = 0; i < w->atoms.rows; i++) step[i] -= by * atom[i];
    }
    gather_pairs(w, w->image.pair);
    for (int64_t k = 0; k < w->tied.count; k++) w->solution.pair[k] -= w->image.pair[k];
}

/* step = the bend that takes this change of the pairs back. */
static void bend_pairs(curvature_model *w) {
    clear_step(w);
    add_pairs(w, &w->solution);
    mat_copy(&w->right, &w->step);
    solve(w);
}

int curvature_bend(curvature_model *w, const double *p, double expected, double *bend) {
    const int64_t n = w->atoms.rows * w->atoms.cols;
    int bent = 0;
    if (!w->sphere || (!has_frame(w) && !w->tied.count)) return 0;
    enter(w, p, 1);
    for (int64_t j = 0; j < w->atoms.cols; j++) w->square[j] = -(float)mat_column_energy(&w->right, j);
    memset(bend, 0, (size_t)n * sizeof *bend);
    const int pairs = w->tied.count && second_order(w) > STRAIGHT * expected;
    if (has_frame(w) && bend_frame(w, expected)) {
        leave(w, bend);
        if (pairs) take_bend(w);
        bent = 1;
    }
    if (pairs) {
        bend_pairs(w);
        leave(w, bend);
    }
    return bent || pairs;
}
