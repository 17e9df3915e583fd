/* The methods: name and help, in the order of --help. Method NAME is method_NAME, in a file of its own. */
#ifndef INCO_LEARN_METHODS_H
#define INCO_LEARN_METHODS_H

#define METHODS(X)                                                                                                     \
    X(idl, "least squares with the coherence penalty")                                                                 \
    X(mod, "method of optimal directions, least squares without penalty")                                              \
    X(mocod, "coherence penalty and a penalty on norms, by a fixed-point iteration")                                   \
    X(online, "an update after every batch of signals, with the penalty if given")                                     \
    X(ksvd, "K-SVD")                                                                                                   \
    X(aksvd, "approximate K-SVD")                                                                                      \
    X(inksvd, "K-SVD, then rotation of coherent pairs until option 'max-coherence' is reached")                        \
    X(ipr, "K-SVD, then iterative projection and rotation until option 'max-coherence' is reached")                    \
    X(aksvdc, "approximate K-SVD with the coherence penalty")                                                          \
    X(idb, "approximate K-SVD with a distance barrier between atoms above option 'max-coherence'")                     \
    X(parametric, "no data, optimises the parameters of the atoms of option 'family'")

#endif
