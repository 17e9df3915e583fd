#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const status_text[] = {
    [0] = "done",
    [-INCO_ENOMEM] = "out of memory",
    [-INCO_EINVAL] = "invalid argument or option",
    [-INCO_EIO] = "file cannot be read or written",
    [-INCO_EFORMAT] = "file is not in the expected format",
    [-INCO_EDATA] = "unsuitable data",
    [-INCO_EDIM] = "dimensions do not match",
    [-INCO_ENOTBUILT] = "not in this build",
    [-INCO_ENUMERIC] = "numerical failure",
};

const char *inco_strerror(int status) {
    const int last = (int)(sizeof status_text / sizeof *status_text) - 1;
    if (status == INCO_CLIPPED) return "values were clipped";
    if (status == INCO_STOPPED) return "stopped by the caller";
    if (status > 0 || status < -last) return "unknown status";
    return status_text[-status];
}

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *inco_version(void) {
    return VERSION_TEXT(INCO_VERSION_MAJOR, INCO_VERSION_MINOR, INCO_VERSION_PATCH);
}

int error_set(inco_error *error, int code, const char *format, ...) {
    if (error) {
        va_list args;
        va_start(args, format);
        error->code = code;
        vsnprintf(error->message, sizeof error->message, format, args);
        va_end(args);
    }
    return code;
}

int error_no_memory(inco_error *error) {
    return error_set(error, INCO_ENOMEM, "out of memory");
}

int error_null(inco_error *error, const char *what) {
    return error_set(error, INCO_EINVAL, "argument '%s' is NULL", what);
}
