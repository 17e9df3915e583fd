/* Coding passes over the training signals, shared by the ranks of a cluster: A and B of codes, or of refitted codes,
 * and the error of the final ones. Rank 0 asks for a pass; the other ranks follow its orders (serve.h). */
#ifndef INCO_LEARN_CODING_H
#define INCO_LEARN_CODING_H

#include "data/collector.h"
#include "data/totals.h"
#include "learn/learner.h"
#include "learn/serve.h"

/* Codes the signals that the order names in the current dictionary. The sums are valid until the next pass; with
 * needs_codes, the codes and residuals are stored instead. Signals with large errors and the use of atoms are added to
 * the learner's notes. INCO_STOPPED if the caller stopped it. */
int coding_sums(learner *l, serve_order order, collected *sums, inco_error *error);

/* A and B of the codes that the last pass has stored, with coefficients refitted by least squares in the current
 * dictionary. */
int coding_refit(learner *l, collected *sums, inco_error *error);

/* Codes all signals in the result; appends the codes to `codes` (may be NULL). Its error and counts go to the info. */
int coding_final(learner *l, inco_csc *codes, inco_error *error);

/* On the other ranks: this rank's part of such a pass. */
int coding_serve(learner *l, const serve_order *order, inco_error *error);

#endif
