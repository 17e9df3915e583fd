#include "base/stream.h"

#include "base/error.h"
#include "base/sized.h"

int stream_take_writer(inco_stream *own, const inco_stream *given, inco_error *error) {
    int status = SIZED_TAKE(inco_stream, own, given, error);
    if (status < 0 || own->write) return status;
    return error_set(error, INCO_EINVAL, "the stream has no function `write`");
}

int stream_take_reader(inco_stream *own, const inco_stream *given, inco_error *error) {
    int status = SIZED_TAKE(inco_stream, own, given, error);
    if (status < 0 || own->read) return status;
    return error_set(error, INCO_EINVAL, "the stream has no function `read`");
}
