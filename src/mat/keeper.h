/* What BLAS keeps for the whole process, kept in order: its number of threads, and its locks across a fork. */
#ifndef INCO_MAT_KEEPER_H
#define INCO_MAT_KEEPER_H

/* Around every public call that computes: BLAS on one thread, the caller's setting restored when the last one leaves.
 */
void blas_enter(void);
void blas_leave(void);

/* Calls a routine of LAPACK, or one of BLAS that takes memory: a fork in another thread waits for it. KEPT is its
 * result, KEEP is for those without. */
#define KEPT(call) (keeper_begin(), keeper_end(call))
#define KEEP(call)                                                                                                     \
    do {                                                                                                               \
        keeper_begin();                                                                                                \
        call;                                                                                                          \
        keeper_end(0);                                                                                                 \
    } while (0)
void keeper_begin(void);
int keeper_end(int result); /* which it returns */

#endif
