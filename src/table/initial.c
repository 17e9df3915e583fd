/* Reads the file named by the option init, for src/learn, which does not know formats. */
#include "learn/initial.h"

#include "base/limit.h"
#include "io/io.h"
#include "io/io_options.h"

int initial_load(const char *path, const inco_options *options, inco_mat *dictionary, inco_error *error) {
    const io_how how = {.columns = (int)io_options_of(options)->columns, /* the option variable is for the data */
                        .limit = limit_of(options)};
    return io_load_matrix(path, &how, dictionary, error);
}
