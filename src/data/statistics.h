/* Statistics of a coding pass: A, B and ||X||^2. All matrices are double. */
#ifndef INCO_DATA_STATISTICS_H
#define INCO_DATA_STATISTICS_H

#include <inco/inco.h>

/* All that the least-squares term needs of data X (D x N) and codes C (L x N): ||X - D C||^2 = energy - 2 <D, B> + <D,
 * D A>. */
typedef struct statistics {
    inco_mat a;    /* C C', L x L, symmetric, both halves filled */
    inco_mat b;    /* X C', D x L, compact (ld = rows) */
    double energy; /* ||X||^2 */
    /* ||X||^2 of the observed entries, to which weights and errors are relative. The others have been filled (M-1): X
     * is complete otherwise. */
    double observed;
} statistics;

#endif
