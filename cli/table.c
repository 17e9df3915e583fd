#include "table.h"

enum { ROWS_MAX = 128 };

static inco_option rows[ROWS_MAX];
static int count;

const inco_option *table_at(int i) {
    while (!count || (count <= i && count < ROWS_MAX)) {
        rows[count].size = sizeof rows[count];
        if (!inco_option_at(count, &rows[count])) return NULL;
        count++;
    }
    return i >= 0 && i < count ? &rows[i] : NULL;
}
