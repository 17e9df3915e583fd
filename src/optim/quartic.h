/* Exact line search: the minimiser of a quartic polynomial (docs/theory/idl.md, IDL-6). */
#ifndef INCO_OPTIM_QUARTIC_H
#define INCO_OPTIM_QUARTIC_H

/* The t > 0 at which q[1] t + q[2] t^2 + q[3] t^3 + q[4] t^4 is minimal and negative; 0 if there is none. */
double quartic_minimizer(const double q[5]);

#endif
