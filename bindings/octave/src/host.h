/* What the host of the MEX file, Octave or MATLAB, does beyond the common API: Ctrl-C. */
#ifndef INCO_OCTAVE_HOST_H
#define INCO_OCTAVE_HOST_H

#include "mex.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns whether the user has pressed Ctrl-C. The host still acts on it when the MEX function has returned. */
int host_interrupted(void);

/* Returns the value of the function for one argument; NULL after Ctrl-C. No exception passes through the caller. */
mxArray *host_call(mxArray *function, mxArray *argument);

#ifdef __cplusplus
}
#endif
#endif
