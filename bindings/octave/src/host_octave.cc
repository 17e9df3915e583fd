/* Octave: Ctrl-C is a C++ exception, which must not pass through the library. */
#include <octave/quit.h>

#include "host.h"

/* Octave throws the exception again when the MEX function has returned. */
static void keep_interrupt() {
    octave_interrupt_state = 1;
    octave_signal_caught = 1;
}

extern "C" int host_interrupted(void) {
    try {
        octave_quit();
    } catch (const octave::interrupt_exception &) {
        keep_interrupt();
        return 1;
    }
    return 0;
}

extern "C" mxArray *host_call(mxArray *function, mxArray *argument) {
    mxArray *given[] = {function, argument}, *result = nullptr;
    try {
        mexCallMATLABWithTrap(1, &result, 2, given, "feval");
    } catch (const octave::interrupt_exception &) {
        keep_interrupt();
    }
    return result;
}
