#include "base/limit.h"

#include <unistd.h>

#include "base/common.h"
#include "base/error.h"
#include "base/handle.h"

enum { MEGABYTE = 1000000 };

int64_t limit_of(const inco_options *options) {
    const int64_t megabytes = options ? common_options_of(options)->max_memory : OPTION_UNSET;
    if (megabytes != OPTION_UNSET) return limit_product(megabytes, MEGABYTE);
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (int64_t)((double)pages * (double)size * .75) : INT64_MAX;
}

int64_t limit_product(int64_t a, int64_t b) {
    int64_t product;
    return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int inco_check_memory(const char *what, double bytes, const inco_options *options, inco_error *error) {
    int status = NEED(what);
    if (status >= 0 && options) status = handle_need(options, "options", error);
    if (status < 0 || bytes <= (double)limit_of(options)) return status;
    return error_set(error, INCO_ENOMEM,
                     "%s: %.3g MB of memory are needed, more than the %.3g MB of option 'max-memory'", what,
                     bytes / MEGABYTE, (double)limit_of(options) / MEGABYTE);
}

int limit_check(const limit_claim *c, inco_error *error) {
    const int64_t bytes = limit_product(c->count, (int64_t)c->size);
    if (c->count < 0 || (double)c->count > c->holds)
        return error_set(error, INCO_EFORMAT, "%s: truncated or damaged: it declares %lld %s, more than it can hold",
                         c->path, (long long)c->count, c->what);
    if (bytes > c->limit)
        return error_set(error, INCO_ENOMEM,
                         "%s: its %lld %s take %.3g MB of memory, more than the %.3g MB of option 'max-memory': raise "
                         "it if you trust the file",
                         c->path, (long long)c->count, c->what, (double)bytes / MEGABYTE, (double)c->limit / MEGABYTE);
    return INCO_OK;
}
