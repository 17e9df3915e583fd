/* Streams of bytes that the caller provides. */
#ifndef INCO_BASE_STREAM_H
#define INCO_BASE_STREAM_H

#include <inco/inco.h>

/* The caller's stream as the library's struct, checked: it can be written, or read. */
int stream_take_writer(inco_stream *own, const inco_stream *given, inco_error *error);
int stream_take_reader(inco_stream *own, const inco_stream *given, inco_error *error);

#endif
