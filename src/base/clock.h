/* Time for reports and for --stop-seconds; nothing else depends on it. */
#ifndef INCO_BASE_CLOCK_H
#define INCO_BASE_CLOCK_H

double clock_seconds(void); /* monotonic, since an arbitrary origin */

#endif
