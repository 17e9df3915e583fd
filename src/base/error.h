/* Errors inside the library: the message is set where the error occurs, and forwarded everywhere else. */
#ifndef INCO_BASE_ERROR_H
#define INCO_BASE_ERROR_H

#include <inco/inco.h>

/* Writes the message and returns the code: `return error_set(error, INCO_EDIM, "...")`. error may be NULL. */
int error_set(inco_error *error, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

int error_no_memory(inco_error *error);
int error_null(inco_error *error, const char *what); /* "argument 'source' is NULL" */

/* Fails, naming the argument, if a required pointer is NULL. Needs `error` in scope. */
#define NEED(pointer) ((pointer) ? INCO_OK : error_null(error, #pointer))

/* Jumps to the `done:` label of the function if a call fails. Needs `int status` in scope. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if ((status = (call)) < 0) goto done;                                                                          \
    } while (0)

#endif
