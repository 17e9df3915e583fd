/* Global state of BLAS: its thread count, and its locks across a fork. */
#ifndef INCO_MAT_KEEPER_H
#define INCO_MAT_KEEPER_H

#include <inco/inco.h>

/* Encloses every public call that computes: BLAS runs on one thread; the caller's setting is restored when the last
 * call ends. Fails if there is no memory for the products of so many threads; blas_leave must follow even then. */
int blas_enter(int threads, inco_error *error);
void blas_leave(void);

/* Calls a routine of LAPACK, or of BLAS if it allocates memory; a fork in another thread waits for it. KEPT returns its
 * result, KEEP is for routines without. */
#define KEPT(call) (keeper_begin(), keeper_end(call))
#define KEEP(call)                                                                                                     \
    do {                                                                                                               \
        keeper_begin();                                                                                                \
        call;                                                                                                          \
        keeper_end(0);                                                                                                 \
    } while (0)
void keeper_begin(void);
int keeper_end(int result); /* returns `result` */

#endif
