/* The methods of --method, in the order of its choices: name and help. Method NAME is method_NAME, in a file of its
 * own. */
#ifndef INCO_LEARN_METHODS_H
#define INCO_LEARN_METHODS_H

#define METHODS(X)                                                                                                     \
    X(idl, "least squares with a penalty on coherence")                                                                \
    X(mod, "least squares alone")                                                                                      \
    X(mocod, "the penalty and one on norms, by a fixed point")                                                         \
    X(online, "an update after every batch of signals, the penalty only where given")                                  \
    X(ksvd, "K-SVD, atom by atom with its codes")                                                                      \
    X(aksvd, "approximate K-SVD")                                                                                      \
    X(inksvd, "K-SVD followed by rotations of coherent pairs to --max-coherence")                                      \
    X(ipr, "K-SVD followed by projections of the Gram matrix to --max-coherence")                                      \
    X(aksvdc, "aksvd with the penalty of idl")                                                                         \
    X(idb, "aksvd in which atoms beyond --max-coherence push each other away")                                         \
    X(parametric, "no data, atoms of a --family made incoherent in their parameters")

#endif
