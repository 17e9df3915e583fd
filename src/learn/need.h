/* Memory that learning allocates, from the sizes, the threads, the method and the options. */
#ifndef INCO_LEARN_NEED_H
#define INCO_LEARN_NEED_H

#include <inco/inco.h>

/* INCO_ENOMEM if it exceeds the option max-memory. */
int need_check(const inco_source *signals, int64_t atoms, const inco_options *options, inco_error *error);

#endif
