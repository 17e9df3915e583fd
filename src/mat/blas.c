#include "mat/blas.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/isa.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/range.h"
#include "mat/keeper.h"
#include "mat/mat.h"

/* ---- Which BLAS it is ---- */

/* OpenBLAS has these; another BLAS leaves them NULL. */
extern char *openblas_get_config(void) __attribute__((weak));
extern char *openblas_get_corename(void) __attribute__((weak));

const char *inco_blas(void) {
    return openblas_get_config ? openblas_get_config() : "BLAS";
}

const char *inco_blas_advice(void) {
    static const char *const modern[] = {"Haswell", "Zen", "Excavator", "SkylakeX", "Cooperlake", "SapphireRapids"};
    const isa_level isa = isa_best();
    if (isa == ISA_BASE || !openblas_get_corename) return NULL;
    for (size_t i = 0; i < sizeof modern / sizeof *modern; i++)
        if (!strcasecmp(openblas_get_corename(), modern[i])) return NULL;
    return isa == ISA_AVX512 ? "SkylakeX" : "Haswell";
}

/* ---- Products ---- */

/* A hook for tests and benchmarks, as the one for allocations in base/memory.c. */
static atomic_llong multiplied;

int64_t blas_multiplied(void) {
    return atomic_exchange(&multiplied, 0);
}

/* Blocks of C, each the work of one thread: of any product, and of a symmetric one. */
enum { BLOCK_ROWS = 512, BLOCK_COLS = 128, BLOCK_SYMMETRIC = 256 };

typedef struct product {
    const char *form;
    double alpha, beta;
    const inco_mat *a, *b, *c;
    int64_t rows, cols; /* of a block of C */
    int64_t row_blocks;
} product;

static void gemm(const product *p, const inco_mat *a, const inco_mat *b, const inco_mat *c) {
    CBLAS_TRANSPOSE ta = p->form[0] == 'T' ? CblasTrans : CblasNoTrans;
    CBLAS_TRANSPOSE tb = p->form[1] == 'T' ? CblasTrans : CblasNoTrans;
    int m = (int)c->rows, n = (int)c->cols, k = (int)(p->form[0] == 'T' ? a->rows : a->cols);
    if (c->type == INCO_F32)
        KEEP(cblas_sgemm(CblasColMajor, ta, tb, m, n, k, (float)p->alpha, a->data, (int)a->ld, b->data, (int)b->ld,
                         (float)p->beta, c->data, (int)c->ld));
    else
        KEEP(cblas_dgemm(CblasColMajor, ta, tb, m, n, k, p->alpha, a->data, (int)a->ld, b->data, (int)b->ld, p->beta,
                         c->data, (int)c->ld));
}

/* The lower triangle of C = alpha op(A) op(A)' + beta C */
static void syrk(const product *p, const inco_mat *a, const inco_mat *c) {
    CBLAS_TRANSPOSE ta = p->form[0] == 'T' ? CblasTrans : CblasNoTrans;
    int n = (int)c->rows, k = (int)(p->form[0] == 'T' ? a->rows : a->cols);
    if (c->type == INCO_F32)
        KEEP(cblas_ssyrk(CblasColMajor, CblasLower, ta, n, k, (float)p->alpha, a->data, (int)a->ld, (float)p->beta,
                         c->data, (int)c->ld));
    else
        KEEP(cblas_dsyrk(CblasColMajor, CblasLower, ta, n, k, p->alpha, a->data, (int)a->ld, p->beta, c->data,
                         (int)c->ld));
}

/* The rows of op(A) that a block of C takes, and the columns of op(B). */
static inco_mat rows_of(const product *p, int64_t first, int64_t count) {
    return p->form[0] == 'T' ? mat_columns(p->a, first, count) : mat_part(p->a, first, 0, count, p->a->cols);
}
static inco_mat columns_of(const product *p, int64_t first, int64_t count) {
    return p->form[1] == 'T' ? mat_part(p->b, first, 0, count, p->b->cols) : mat_columns(p->b, first, count);
}

/* One block of C. */
static int multiply_block(void *self, int64_t block, int thread, inco_error *error) {
    const product *p = self;
    const int64_t i = block % p->row_blocks * p->rows, j = block / p->row_blocks * p->cols;
    const int64_t rows = range_min(p->c->rows - i, p->rows), cols = range_min(p->c->cols - j, p->cols);
    inco_mat a = rows_of(p, i, rows), b = columns_of(p, j, cols), c = mat_part(p->c, i, j, rows, cols);
    gemm(p, &a, &b, &c);
    (void)thread, (void)error;
    return 0;
}

/* The same for a symmetric C: blocks above the diagonal are copies of those below. */
static int multiply_symmetric_block(void *self, int64_t block, int thread, inco_error *error) {
    const product *p = self;
    const int64_t i = block % p->row_blocks * p->rows, j = block / p->row_blocks * p->cols;
    const int64_t rows = range_min(p->c->rows - i, p->rows);
    if (i > j) {
        multiply_block(self, block, thread, error);
        inco_mat below = mat_part(p->c, i, j, rows, p->cols), above = mat_part(p->c, j, i, p->cols, rows);
        mat_copy_transposed(&above, &below);
    } else if (i == j) {
        inco_mat a = rows_of(p, i, rows), c = mat_part(p->c, i, i, rows, rows);
        syrk(p, &a, &c);
        mat_mirror(&c);
    }
    return 0;
}

void blas_multiply(int threads, const char *form, double alpha, const inco_mat *a, const inco_mat *b, double beta,
                   const inco_mat *c) {
    product p = {form, alpha, beta, a, b, c, BLOCK_ROWS, BLOCK_COLS, 0};
    const int symmetric = form[0] != form[1] && a->data == b->data && a->rows == b->rows && a->cols == b->cols &&
                          a->ld == b->ld; /* C = op(A) op(A)' */
    const int64_t numbers = symmetric ? c->rows * (c->rows + 1) / 2 : c->rows * c->cols;
    const int64_t multiplications = numbers * (form[0] == 'T' ? a->rows : a->cols);
    if (c->rows == 0 || c->cols == 0) return;
    if (symmetric) p.rows = p.cols = BLOCK_SYMMETRIC;
    p.row_blocks = range_blocks(c->rows, p.rows);
    const int64_t blocks = p.row_blocks * range_blocks(c->cols, p.cols);
    atomic_fetch_add(&multiplied, multiplications);
    /* One thread per 2e7 operations, about a millisecond: less does not pay for waking a thread. */
    const int64_t worthwhile = 1 + multiplications / 10000000;
    if (threads > worthwhile) threads = (int)worthwhile;
    parallel_for(threads, blocks, symmetric ? multiply_symmetric_block : multiply_block, &p, NULL);
}

/* Pieces of fixed length keep the rounding error small, and the bits independent of how BLAS splits the sum. */
double blas_dot(int64_t n, const double *x, const double *y) {
    enum { PIECE = 4096 };
    double sum = 0;
    for (int64_t i = 0; i < n; i += PIECE) sum += cblas_ddot((int)range_min(n - i, PIECE), x + i, 1, y + i, 1);
    return sum;
}

void blas_axpy(int64_t n, double alpha, const double *x, double *y) {
    enum { PIECE = 1 << 20 };
    for (int64_t i = 0; i < n; i += PIECE) cblas_daxpy((int)range_min(n - i, PIECE), alpha, x + i, 1, y + i, 1);
}

double blas_largest(int64_t n, const double *x) {
    enum { PIECE = 1 << 20 };
    double maximum = 0;
    for (int64_t i = 0; i < n; i += PIECE) {
        const double *from = x + i;
        maximum = fmax(maximum, fabs(from[cblas_idamax((int)range_min(n - i, PIECE), from, 1)]));
    }
    return maximum;
}

void blas_symv(const inco_mat *a, const double *x, double *y) {
    KEEP(cblas_dsymv(CblasColMajor, CblasLower, (int)a->rows, 1, a->data, (int)a->ld, x, 1, 0, y, 1));
}

void blas_syr2(const double *x, const double *y, const inco_mat *a) {
    KEEP(cblas_dsyr2(CblasColMajor, CblasLower, (int)a->rows, 1, x, 1, y, 1, a->data, (int)a->ld));
}

void blas_gemv(const inco_mat *m, double alpha, const double *x, double beta, double *y) {
    KEEP(cblas_dgemv(CblasColMajor, CblasNoTrans, (int)m->rows, (int)m->cols, alpha, m->data, (int)m->ld, x, 1, beta, y,
                     1));
}

void blas_gemv_transposed(const inco_mat *m, double alpha, const double *x, double beta, double *y) {
    KEEP(cblas_dgemv(CblasColMajor, CblasTrans, (int)m->rows, (int)m->cols, alpha, m->data, (int)m->ld, x, 1, beta, y,
                     1));
}

/* ---- LAPACK ---- */

int lapack_tridiagonal_top(int64_t n, double *diagonal, double *beside, double *value, double *vector, double *work,
                           int64_t *iwork, inco_error *error) {
    const lapack_int size = (lapack_int)n;
    lapack_int found = 0, *integers = (lapack_int *)iwork; /* of 4 or 8 bytes */
    if (KEPT(LAPACKE_dstevx_work(LAPACK_COL_MAJOR, 'V', 'I', size, diagonal, beside, 0, 0, size, size, 0, &found, work,
                                 vector, size, work + n, integers, integers + 5 * n)) != 0 ||
        found != 1)
        return error_set(error, INCO_ENUMERIC, "the largest eigenvalue of a tridiagonal matrix could not be computed");
    *value = work[0];
    return INCO_OK;
}

int lapack_eigenvectors(inco_mat *a, double *values, inco_error *error) {
    const lapack_int n = (lapack_int)a->rows;
    const int64_t work_length = 1 + 6 * (int64_t)n + 2 * (int64_t)n * n;
    double *work = NEW_RAW(double, work_length);
    lapack_int *iwork = NEW_RAW(lapack_int, 3 + 5 * (int64_t)n);
    int status = work && iwork ? INCO_OK : error_no_memory(error);
    if (status >= 0 && KEPT(LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, a->data, (lapack_int)a->ld, values, work,
                                                (lapack_int)work_length, iwork, 3 + 5 * n)) != 0)
        status = error_set(error, INCO_ENUMERIC, "the eigenvectors of a symmetric matrix could not be computed");
    memory_free(work);
    memory_free(iwork);
    return status;
}

/* X = B V diag(1/w) V' over the eigenvalues w that are not negligible. */
static int solve_by_eigenvalues(inco_mat *a, inco_mat *b, inco_error *error) {
    const int64_t n = a->rows;
    inco_mat t = {0};
    double *w = NEW_RAW(double, n);
    int status = w ? mat_new_raw(&t, INCO_F64, b->rows, b->cols, error) : error_no_memory(error);
    if (status < 0) goto done;
    TRY(lapack_eigenvectors(a, w, error));
    blas_multiply(1, "NN", 1, b, a, 0, &t);
    for (int64_t j = 0; j < t.cols; j++) {
        double scale = w[j] > 1e-8 * w[n - 1] ? 1 / w[j] : 0, *column = mat_column(&t, j);
        for (int64_t i = 0; i < t.rows; i++) column[i] *= scale;
    }
    blas_multiply(1, "NT", 1, &t, a, 0, b);
done:
    inco_mat_free(&t);
    memory_free(w);
    return status;
}

/* Returns whether all pivots of a Cholesky factor are above rounding errors. Their ratio is about the square root of
 * the condition number. */
static int well_conditioned(const inco_mat *factor) {
    double smallest = INFINITY, largest = 0;
    for (int64_t j = 0; j < factor->cols; j++) {
        smallest = fmin(smallest, mat_get(factor, j, j));
        largest = fmax(largest, mat_get(factor, j, j));
    }
    return smallest > 1e-6 * largest;
}

int lapack_solve_positive(const inco_mat *a, double *x) {
    const lapack_int n = (lapack_int)a->rows, ld = (lapack_int)a->ld;
    if (KEPT(LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, a->data, ld)) != 0 || !well_conditioned(a)) return 0;
    KEEP(cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, n, a->data, ld, x, 1));
    KEEP(cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, n, a->data, ld, x, 1));
    return 1;
}

int lapack_solve_right(inco_mat *a, inco_mat *b, inco_error *error) {
    const lapack_int n = (lapack_int)a->rows;
    inco_mat factor = {0};
    int status = mat_convert(&factor, a, INCO_F64, error);
    if (status < 0) return status;
    int definite = KEPT(LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, factor.data, n)) == 0;
    if (definite && well_conditioned(&factor)) {
        KEEP(cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, (int)b->rows, n, 1,
                         factor.data, n, b->data, (int)b->ld));
        KEEP(cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, (int)b->rows, n, 1,
                         factor.data, n, b->data, (int)b->ld));
    } else {
        status = solve_by_eigenvalues(a, b, error);
    }
    inco_mat_free(&factor);
    return status;
}

int lapack_lq(inco_mat *m, inco_error *error) {
    const lapack_int rows = (lapack_int)m->rows, cols = (lapack_int)m->cols, ld = (lapack_int)m->ld;
    double size = 0, *work = NULL, *tau = NEW_RAW(double, m->rows);
    int status = INCO_OK;
    LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, rows, cols, m->data, ld, tau, &size, -1);
    work = NEW_RAW(double, (int64_t)size + 1);
    if (!work || !tau)
        status = error_no_memory(error);
    else if (KEPT(LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, rows, cols, m->data, ld, tau, work, (lapack_int)size)) != 0)
        status = error_set(error, INCO_ENUMERIC, "the LQ factorisation failed");
    for (int64_t j = 1; status == INCO_OK && j < m->rows; j++)
        for (int64_t i = 0; i < j; i++) mat_set(m, i, j, 0);
    memory_free(tau);
    memory_free(work);
    return status;
}

int lapack_singular_values(const inco_mat *m, double *values, inco_error *error) {
    inco_mat copy = {0};
    double size = 0, *work = NULL;
    lapack_int rows = (lapack_int)m->rows, cols = (lapack_int)m->cols, least = rows < cols ? rows : cols;
    lapack_int *iwork = NEW_RAW(lapack_int, 8 * (int64_t)least);
    int status = iwork ? mat_convert(&copy, m, INCO_F64, error) : error_no_memory(error);
    if (status < 0 || least == 0) goto done;
    LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'N', rows, cols, copy.data, rows, values, NULL, 1, NULL, 1, &size, -1, iwork);
    work = NEW_RAW(double, (int64_t)size + 1);
    if (!work) {
        status = error_no_memory(error);
    } else if (KEPT(LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'N', rows, cols, copy.data, rows, values, NULL, 1, NULL, 1,
                                        work, (lapack_int)size, iwork)) != 0) {
        status = error_set(error, INCO_ENUMERIC, "the singular values could not be computed");
    }
done:
    inco_mat_free(&copy);
    memory_free(iwork);
    memory_free(work);
    return status;
}

/* Some eigenpairs by dsyevr, which is fastest but can fail; a is destroyed. */
static int some_eigenvectors(inco_mat *a, double *values, inco_mat *vectors, inco_error *error) {
    const lapack_int n = (lapack_int)a->rows, from = n - (lapack_int)vectors->cols + 1;
    const lapack_int ld = (lapack_int)a->ld, ldv = (lapack_int)vectors->ld;
    const lapack_int work_length = 64 * n,
                     integers = 10 * n; /* more than dsyevr's 26 n: whole blocks in its reduction */
    lapack_int found = 0;
    double *work = NEW_RAW(double, work_length);
    lapack_int *iwork = NEW_RAW(lapack_int, integers), *support = NEW_RAW(lapack_int, 2 * (int64_t)n);
    int status = work && iwork && support ? INCO_OK : error_no_memory(error);
    if (status >= 0 &&
        (KEPT(LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, a->data, ld, 0, 0, from, n, 0, &found, values,
                                  vectors->data, ldv, support, work, work_length, iwork, integers)) != 0 ||
         found != (lapack_int)vectors->cols))
        status = error_set(error, INCO_ENUMERIC, "the leading eigenvectors could not be computed");
    memory_free(work);
    memory_free(iwork);
    memory_free(support);
    return status;
}

int lapack_leading_by_qr(inco_mat *a, double *values, inco_mat *vectors, inco_error *error) {
    const int64_t n = a->rows, first = n - vectors->cols;
    const lapack_int work_length = (lapack_int)(64 * n);
    double *work = NEW_RAW(double, work_length), *all = NEW_RAW(double, n);
    int status = work && all ? INCO_OK : error_no_memory(error);
    if (status >= 0 && KEPT(LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', (lapack_int)n, a->data, (lapack_int)a->ld,
                                               all, work, work_length)) != 0)
        status = error_set(error, INCO_ENUMERIC, "the eigenvectors could not be computed");
    if (status >= 0) {
        const inco_mat leading = mat_columns(a, first, vectors->cols);
        mat_copy(vectors, &leading);
        memcpy(values, all + first, (size_t)vectors->cols * sizeof *values);
    }
    memory_free(work);
    memory_free(all);
    return status;
}

int lapack_leading_eigenvectors(inco_mat *a, double *values, inco_mat *vectors, inco_error *error) {
    inco_mat copy = {0};
    int status = mat_convert(&copy, a, INCO_F64, error);
    if (status >= 0 && (status = some_eigenvectors(a, values, vectors, error)) == INCO_ENUMERIC)
        status = lapack_leading_by_qr(&copy, values, vectors, error);
    inco_mat_free(&copy);
    return status;
}

int lapack_svd(inco_mat *m, inco_mat *u, double *values, inco_mat *vt, inco_error *error) {
    const lapack_int n = (lapack_int)m->rows, ld = (lapack_int)m->ld;
    const lapack_int ldu = (lapack_int)u->ld, ldv = (lapack_int)vt->ld;
    double size = 0, *work = NULL;
    lapack_int *iwork = NEW_RAW(lapack_int, 8 * (int64_t)n);
    int status = iwork ? INCO_OK : error_no_memory(error);
    if (status < 0) goto done;
    LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', n, n, m->data, ld, values, u->data, ldu, vt->data, ldv, &size, -1,
                        iwork);
    if (!(work = NEW_RAW(double, (int64_t)size + 1))) TRY(error_no_memory(error));
    if (KEPT(LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', n, n, m->data, ld, values, u->data, ldu, vt->data, ldv, work,
                                 (lapack_int)size, iwork)) != 0)
        status = error_set(error, INCO_ENUMERIC, "the singular value decomposition failed");
done:
    memory_free(work);
    memory_free(iwork);
    return status;
}
