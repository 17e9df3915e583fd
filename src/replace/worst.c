#include "replace/worst.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

int worst_new(worst_list *list, int64_t capacity) {
    *list = (worst_list){.item = NEW(worst_signal, capacity), .capacity = capacity};
    return list->item ? INCO_OK : INCO_ENOMEM;
}

void worst_free(worst_list *list) {
    memory_free(list->item);
}

/* In descending order of error; among equals, the earlier signal first. */
static int compare(const void *a, const void *b) {
    const worst_signal *x = a, *y = b;
    if (x->error != y->error) return x->error > y->error ? -1 : 1;
    return (x->signal > y->signal) - (x->signal < y->signal);
}

static int better(const worst_signal *a, const worst_signal *b) {
    return compare(a, b) > 0;
}

/* Removes the signal with the smallest error: the last one takes its place at the top of the heap, and sinks. */
static void drop(worst_list *list) {
    list->weight -= list->item[0].weight;
    list->item[0] = list->item[--list->count];
    for (int64_t i = 0;;) {
        int64_t least = i;
        for (int64_t child = 2 * i + 1; child <= 2 * i + 2; child++)
            if (child < list->count && better(&list->item[child], &list->item[least])) least = child;
        if (least == i) return;
        const worst_signal swap = list->item[i];
        list->item[i] = list->item[least];
        list->item[i = least] = swap;
    }
}

void worst_clear(worst_list *list) {
    list->count = 0;
    list->weight = 0;
}

void worst_offer(worst_list *list, worst_signal offered) {
    const int full = list->count == list->capacity || list->weight >= (double)list->capacity;
    if (list->capacity == 0 || (full && !better(&list->item[0], &offered))) return;
    if (list->count == list->capacity) drop(list);
    int64_t i = list->count++;
    for (; i > 0 && better(&offered, &list->item[(i - 1) / 2]); i = (i - 1) / 2)
        list->item[i] = list->item[(i - 1) / 2];
    list->item[i] = offered;
    list->weight += offered.weight;
    while (list->weight - list->item[0].weight >= (double)list->capacity) drop(list);
}

void worst_sort(worst_list *list) {
    qsort(list->item, (size_t)list->count, sizeof *list->item, compare);
}
