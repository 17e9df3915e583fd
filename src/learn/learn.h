/* The public handle: a learner on preprocessed signals, and the regularisation path of gamma. */
#ifndef INCO_LEARN_LEARN_H
#define INCO_LEARN_LEARN_H

#include "data/prepare.h"
#include "learn/learner.h"
#include "learn/path.h"
#include "mat/subspace.h"

#define LEARNER "learner" /* its kind of handle */

struct inco_learner {
    inco_options *options; /* as given */
    inco_source given;     /* the caller's */
    prepared data;
    subspace span; /* of the signals, from the first run on */
    learner *core;
    gamma_path path;
};

#endif
