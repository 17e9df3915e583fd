/* The assignment problem: every row gets a column of its own such that the total cost is least. Costs are integers, so
 * that the solution is exact. docs/theory/compare.md. */
#ifndef INCO_METRIC_ASSIGN_H
#define INCO_METRIC_ASSIGN_H

#include <inco/inco.h>

enum { ASSIGN_COST_MAX = 1 << 27 };

typedef struct assign_problem {
    int64_t rows, cols;                                  /* rows <= cols < 2^31 */
    const int32_t *cost;                                 /* row by row, from 0 to ASSIGN_COST_MAX */
    void *self;                                          /* for `tell` */
    int (*tell)(void *self, int64_t done, int64_t rows); /* rows assigned; a positive result stops; may be NULL */
} assign_problem;

/* The column of each row in match[rows]; and in price[cols] the dual variables v <= 0 of the columns, 0 for columns of
 * no row. With u_i = c_i,match(i) - v_match(i) they prove the optimum: u_i + v_j <= c_ij (CMP-3). INCO_STOPPED if
 * `tell` stopped it; the match is then incomplete. */
int assign_solve(const assign_problem *problem, int32_t *match, int32_t *price, inco_error *error);

#endif
