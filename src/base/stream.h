/* Byte streams provided by the caller. */
#ifndef INCO_BASE_STREAM_H
#define INCO_BASE_STREAM_H

#include <inco/inco.h>

/* Copies the caller's stream to the library's struct, and checks that it can be written, or read. */
int stream_take_writer(inco_stream *own, const inco_stream *given, inco_error *error);
int stream_take_reader(inco_stream *own, const inco_stream *given, inco_error *error);

#endif
