/* Time for reports and for nothing that a result depends on, but --stop-seconds. */
#ifndef INCO_BASE_CLOCK_H
#define INCO_BASE_CLOCK_H

double clock_seconds(void); /* since some fixed moment, never going back */

#endif
