#include "learn/methods.h"

#include "learn/learn_options.h"
#include "learn/method.h"

#define DECLARE(name, help) extern const method method_##name;
#define ADDRESS(name, help) &method_##name,
METHODS(DECLARE)

static const method *const methods[] = {METHODS(ADDRESS)};
enum { COUNT = sizeof methods / sizeof *methods };

const method *method_at(int i) {
    return i >= 0 && i < COUNT ? methods[i] : NULL;
}

const method *method_of(const inco_options *options) {
    return methods[learn_options_of(options)->method];
}
