/* The options of the program. */
#ifndef INCO_CLI_TABLE_H
#define INCO_CLI_TABLE_H

#include <inco/inco.h>

/* Row i, NULL past the last. */
const inco_option *table_at(int i);

#endif
