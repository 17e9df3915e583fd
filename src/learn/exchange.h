/* Atoms of little worth, exchanged for what the residuals of the worst coded signals have in common. The equations are
 * in docs/theory/exchange.md. */
#ifndef INCO_LEARN_EXCHANGE_H
#define INCO_LEARN_EXCHANGE_H

#include <inco/inco.h>

/* Worst coded signals looked at, for every atom; atoms, for every line that may be exchanged in one iteration. */
enum { EXCHANGE_SIGNALS = 4, EXCHANGE_ATOMS = 10 };

/* After an update: adds the exchanges that pay to the learner's list, and counts the atoms exchanged as used. */
int exchange_choose(inco_learner *learner, inco_error *error);

#endif
