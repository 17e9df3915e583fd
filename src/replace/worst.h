/* The signals with the largest error of a pass. */
#ifndef INCO_REPLACE_WORST_H
#define INCO_REPLACE_WORST_H

#include <stdint.h>

typedef struct worst_signal {
    double error, weight;
    int64_t signal;
} worst_signal;

typedef struct worst_list {
    worst_signal *item; /* a heap with the smallest error on top */
    int64_t count, capacity;
    double weight; /* of the signals in the list */
} worst_list;

int worst_new(worst_list *list, int64_t capacity); /* Returns 0 or INCO_ENOMEM. */
void worst_free(worst_list *list);
void worst_clear(worst_list *list);
/* The list holds the signals with the largest error whose weights reach its capacity, and not more than its capacity.
 */
void worst_offer(worst_list *list, worst_signal offered);
void worst_sort(worst_list *list); /* descending error; the list accepts no more offers until it is emptied */

#endif
