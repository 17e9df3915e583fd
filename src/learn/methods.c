/* The methods of --method, in the order of its choices. */
#include "base/options.h"
#include "learn/method.h"

#define METHODS(X) X(idl) X(mod) X(mocod) X(online) X(ksvd) X(aksvd) X(inksvd) X(ipr) X(aksvdc) X(idb) X(parametric)

#define DECLARE(name) extern const method method_##name;
#define ADDRESS(name) &method_##name,
METHODS(DECLARE)

static const method *const methods[] = {METHODS(ADDRESS)};

const method *method_of(const inco_options *options) {
    return methods[options->method];
}
