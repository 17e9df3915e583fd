/* MATLAB. With -DINCO_UT -lut Ctrl-C is seen; utIsInterruptPending is not documented. */
#include "host.h"

#ifdef INCO_UT
extern bool utIsInterruptPending(void);
#endif

int host_interrupted(void) {
#ifdef INCO_UT
    return utIsInterruptPending();
#else
    return 0;
#endif
}

mxArray *host_call(mxArray *function, mxArray *argument) {
    mxArray *given[] = {function, argument}, *result = NULL;
    mexCallMATLABWithTrap(1, &result, 2, given, "feval");
    return result;
}
