/* The public handle: a learner on preprocessed signals, and the regularisation path of gamma. */
#ifndef INCO_LEARN_LEARN_H
#define INCO_LEARN_LEARN_H

#include "data/missing.h"
#include "data/prepare.h"
#include "data/weights.h"
#include "learn/learner.h"
#include "learn/path.h"
#include "mat/subspace.h"

#define LEARNER "learner" /* its kind of handle */

struct inco_learner {
    cluster own_cluster, *cluster; /* the ranks that share the work; NULL: one process */
    inco_options *options;         /* as given */
    inco_source given;             /* the caller's */
    masked observed;               /* the same, with NaN for missing entries */
    prepared data;                 /* all signals */
    subset weighted;               /* those of positive weight */
    subset kept;                   /* those to learn from: with observed entries too */
    missing_counts missing;
    subspace span; /* of the signals, from the first run on */
    learner *core;
    gamma_path path;
    int serving; /* the other ranks wait for orders, or will */
};

/* Fails on all ranks if one of them has other options, or data of another size, than rank 0. (serve.c) */
int serve_compare(const inco_learner *handle, inco_error *error);

#endif
