/* The list of the parts of the option table, in the order of --help; methods bring their own parts. This file sees all
 * rooms. */
#include "base/options.h"
#include "learn/method.h"

#define PARTS(X)                                                                                                       \
    X(design)                                                                                                          \
    X(frame)                                                                                                           \
    X(learn)                                                                                                           \
    X(penalty)                                                                                                         \
    X(bound)                                                                                                           \
    X(replace)                                                                                                         \
    X(coder)                                                                                                           \
    X(common)                                                                                                          \
    X(io)                                                                                                              \
    X(prepare)                                                                                                         \
    X(inspect)                                                                                                         \
    X(decohere)

#define DECLARE(name) extern const options_part name##_part;
#define ADDRESS(name) &name##_part,
PARTS(DECLARE)

static const options_part *const parts[] = {PARTS(ADDRESS)};
enum { COUNT = sizeof parts / sizeof *parts };

const options_part *options_part_at(int i) {
    const method *m;
    if (i < COUNT) return parts[i];
    i -= COUNT;
    for (int k = 0; (m = method_at(k)); k++)
        if (m->part && i-- == 0) return m->part;
    return NULL;
}
