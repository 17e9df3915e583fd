#include "update/curvature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mat/blas.h"
#include "mat/mat.h"

enum { MAX_STEPS = 40, BEND_PASSES = 2 };
static const double DAMPING = 0.3;   /* of the median of 2 A_jj, in every curvature */
static const double CAUTION = 0.5;   /* the same, more with pairs near a bound */
static const double ACCURACY = 0.1;  /* what the residual of (CURV-5) may cost, relative to the decrease expected */
static const double STRAIGHT = 0.05; /* what a path that is not bent may cost, relative to the decrease expected */

/* ---- Workspace ---- */

static int has_frame(const curvature_model *w) {
    return w->basis.data != NULL;
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

/* 2 A_jj and a floor: without one, atoms of little use would follow every change of the frame. The same again, more or
 * less, for pairs near a bound. */
static void take_fit(curvature_model *w, const statistics *s) {
    const int64_t cols = s->a.cols;
    const double median = curvature_median(&s->a, w->fit), largest = w->fit[cols - 1];
    const double frame = !has_frame(w) ? 4 * w->gamma
                         : w->sphere   ? DAMPING * median + 2e-3 * 4 * w->gamma
                                       : 0.003 * 4 * w->gamma;
    const double least = frame + 5e-10 * largest;
    w->unit = largest + 4 * w->gamma;
    if (!(w->unit > 0)) w->unit = 1;
    for (int64_t j = 0; j < cols; j++) w->fit[j] = 2 * mat_get(&s->a, j, j) + (least > 0 ? least : 1);
    for (int64_t j = 0; j < cols; j++) w->caution[j] = 2 * mat_get(&s->a, j, j) + CAUTION * median;
}

static int open_frame(curvature_model *w, int64_t rows, inco_error *error) {
    inco_mat *small[] = {&w->basis,          &w->turned,          &w->scale.frame, &w->solution.frame,
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
    w->lift = NEW(float, 2 * cols);
    if (!w->fit || !w->left || !w->tangent || !w->lift) TRY(error_no_memory(error));
    w->square = w->lift + cols;
    w->caution = w->fit + cols;
    TRY(mat_new_raw(&w->atoms, INCO_F32, rows, cols, error));
    TRY(mat_new_raw(&w->weight, INCO_F32, rows, cols, error));
    TRY(mat_new_raw(&w->right, INCO_F32, rows, cols, error));
    TRY(mat_new_raw(&w->step, INCO_F32, rows, cols, error));
    if (w->gamma > 0 && rows <= cols) TRY(open_frame(w, rows, error));
    take_fit(w, s);
done:
    return status;
}

void curvature_close(curvature_model *w) {
    inco_mat *owned[] = {&w->basis,          &w->atoms,           &w->weight,      &w->right,
                         &w->step,           &w->turned,          &w->scale.frame, &w->solution.frame,
                         &w->residual.frame, &w->direction.frame, &w->image.frame};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) inco_mat_free(owned[i]);
    memory_free(w->fit);
    memory_free(w->left);
    memory_free(w->tangent);
    memory_free(w->lift);
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
    const int64_t rows = w->basis.rows;
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

/* ---- The basis ---- */

/* Whether e is nearly diagonal in the basis (CURV-10). Its diagonal then serves as the eigenvalues. */
static int suits(curvature_model *w, const inco_mat *e) {
    const inco_mat *turned = &w->residual.frame;
    const int64_t rows = e->rows;
    double mean = 0, spread = 0, coupling = 0;
    mat_copy(&w->image.frame, e);
    blas_multiply(w->threads, "NN", 1, &w->image.frame, &w->basis, 0, &w->turned);
    blas_multiply(w->threads, "TN", 1, &w->basis, &w->turned, 0, turned);
    for (int64_t i = 0; i < rows; i++) mean += (w->left[i] = mat_get(turned, i, i)) / (double)rows;
    for (int64_t i = 0; i < rows; i++) {
        spread += (w->left[i] - mean) * (w->left[i] - mean);
        coupling += mat_column_energy(turned, i) - w->left[i] * w->left[i];
    }
    return sqrt(fmax(coupling, 0)) <= 0.03 * sqrt((double)rows) + 0.1 * sqrt(spread);
}

static int take_eigenvectors(curvature_model *w, const inco_mat *m, inco_error *error) {
    inco_mat vectors = {0};
    int status;
    TRY(mat_convert(&vectors, m, INCO_F64, error));
    TRY(lapack_eigenvectors(&vectors, w->left, error));
    mat_copy(&w->basis, &vectors);
    w->bases++;
done:
    inco_mat_free(&vectors);
    return status;
}

/* turned = D diag(1 / c_j) D', c_j of (CURV-2) with the mean of the eigenvalues of e */
static void soften(curvature_model *w, const inco_mat *d, const inco_mat *e, const double *radial) {
    const int64_t rows = d->rows;
    double mean = 0;
    for (int64_t i = 0; i < rows; i++) mean += mat_get(e, i, i) / (double)rows;
    for (int64_t j = 0; j < d->cols; j++) {
        const double curve = w->fit[j] + fabs(4 * w->gamma * mean - (radial ? radial[j] : 0)),
                     by = sqrt(w->unit / curve), *from = mat_column(d, j);
        float *to = mat_column(&w->step, j);
        for (int64_t i = 0; i < rows; i++) to[i] = (float)(by * from[i]);
    }
    blas_multiply(w->threads, "NT", 1, &w->step, &w->step, 0, &w->turned);
}

/* The basis, and D in it: that of the last place, that in which conjugate gradients are fast, or that of e, whichever
 * suits first. Where the second does not suit once, it is not tried again. */
static int turn(curvature_model *w, const placing *p, const curvature_place *at, inco_error *error) {
    int status = INCO_OK, suitable = w->sphere && w->bases > 0 && suits(w, at->e);
    if (w->sphere && !suitable && !w->stiff) {
        soften(w, at->d, at->e, p->radial);
        TRY(take_eigenvectors(w, &w->turned, error));
        suitable = suits(w, at->e);
        w->stiff = !suitable;
    }
    if (!suitable) TRY(take_eigenvectors(w, at->e, error));
    mat_copy(&w->step, at->d);
    blas_multiply(w->threads, "TN", 1, &w->basis, &w->step, 0, &w->atoms);
done:
    return status;
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

static void zero_change(const curvature_model *w, const curvature_change *c) {
    if (has_frame(w)) memset(c->frame.data, 0, (size_t)(c->frame.rows * c->frame.cols) * sizeof(float));
    if (w->tied.count) memset(c->pair, 0, (size_t)w->tied.count * sizeof(float));
}

/* (CURV-5) by conjugate gradients, until what the residual costs is little beside the decrease expected. `gain`: <R, P>
 * of the step that ignores the frame and the pairs. */
static void solve_system(curvature_model *w, double gain) {
    gather(w, &w->residual);
    zero_change(w, &w->solution);
    scale_residual(w);
    change_add(w, &w->direction, &w->image, 0, &w->image);
    double product = change_dot(w, &w->residual, &w->direction);
    w->solves++;
    for (int k = 0; k < MAX_STEPS && product > 0; k++) {
        apply_system(w);
        const double t = product / change_dot(w, &w->direction, &w->image);
        change_add(w, &w->solution, &w->solution, t, &w->direction);
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

/* to = from / unit, in the basis of the model. */
static void enter(const curvature_model *w, const double *from, const inco_mat *to) {
    const inco_mat *plain = has_frame(w) ? &w->step : to;
    for (int64_t i = 0; i < to->rows * to->cols; i++) ((float *)plain->data)[i] = (float)(from[i] / w->unit);
    if (has_frame(w)) blas_multiply(w->threads, "TN", 1, &w->basis, plain, 0, to);
}

/* to += the step, from the basis of the model. Overwrites the right-hand side. */
static void leave(const curvature_model *w, double *to) {
    const inco_mat *plain = has_frame(w) ? &w->right : &w->step;
    if (has_frame(w)) blas_multiply(w->threads, "NN", 1, &w->basis, &w->step, 0, plain);
    for (int64_t i = 0; i < plain->rows * plain->cols; i++) to[i] += ((const float *)plain->data)[i];
}

/* step = M^-1 right, in the basis of the model. */
static void solve(curvature_model *w) {
    const int64_t n = w->right.rows * w->right.cols;
    float *right = w->right.data, *step = w->step.data;
    memcpy(step, right, (size_t)n * sizeof *step);
    divide(w);
    if (!has_frame(w) && !w->tied.count) return;
    double gain = 0;
    for (int64_t j = 0; j < w->right.cols; j++) gain += mat_column_dot(&w->right, &w->step, j);
    solve_system(w, gain);
    spread(w, &w->solution); /* (CURV-4) */
    for (int64_t i = 0; i < n; i++) step[i] = right[i] - step[i];
    divide(w);
}

void curvature_solve(curvature_model *w, double *q) {
    enter(w, q, &w->right);
    solve(w);
    memset(q, 0, (size_t)(w->step.rows * w->step.cols) * sizeof *q);
    leave(w, q);
}

void curvature_add_pairs(curvature_model *w, const double *s, double *y) {
    if (w->crowd > 0) blas_axpy(w->step.rows * w->step.cols, w->crowd, s, y);
    if (!w->tied.count) return;
    enter(w, s, &w->right);
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
    enter(w, gradient, &w->right);
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
    if (has_frame(w))
        TRY(turn(w, &p, at, error));
    else
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

/* to += atoms diag(by) atoms' */
static void add_weighted_frame(const curvature_model *w, const float *by, const inco_mat *to) {
    for (int64_t j = 0; j < w->atoms.cols; j++) {
        const float *atom = mat_column(&w->atoms, j);
        float *step = mat_column(&w->step, j);
        for (int64_t i = 0; i < w->atoms.rows; i++) step[i] = by[j] * atom[i];
    }
    blas_multiply(w->threads, "NT", 1, &w->step, &w->atoms, 1, to);
}

/* x = the solution of x H + H x = from, H = D D' diagonal in the basis; where H is small, so is x. */
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

/* step = the bend that the frame asks for, of the step in `right`; 0 where a straight path costs it little. */
static int bend_frame(curvature_model *w, double expected) {
    const int64_t rows = w->atoms.rows, cols = w->atoms.cols;
    const inco_mat *second = &w->residual.frame, *now = &w->image.frame, *x = &w->solution.frame;
    float *lift = w->lift, *square = w->square;
    blas_multiply(w->threads, "NT", 1, &w->right, &w->right, 0, second);
    add_weighted_frame(w, square, second);
    double change = 0;
    for (int64_t i = 0; i < rows; i++) change += mat_column_energy(second, i);
    if (w->gamma * change <= STRAIGHT * expected) return 0;
    for (int pass = 0; pass < BEND_PASSES; pass++) {
        mat_copy(now, second);
        if (pass > 0) add_weighted_frame(w, lift, now);
        solve_sylvester(w, now, x);
        blas_multiply(w->threads, "NN", -1, x, &w->atoms, 0, &w->right);
        for (int64_t j = 0; j < cols; j++) lift[j] = -2 * (float)mat_column_dot(&w->atoms, &w->right, j);
    }
    for (int64_t j = 0; j < cols; j++) {
        const float by = (lift[j] + square[j]) / 2, *atom = mat_column(&w->atoms, j);
        float *step = mat_column(&w->step, j), *right = mat_column(&w->right, j);
        for (int64_t i = 0; i < rows; i++) step[i] = right[i] + by * atom[i];
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
    enter(w, p, &w->right);
    for (int64_t i = 0; i < n; i++) ((float *)w->right.data)[i] *= (float)w->unit;
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
