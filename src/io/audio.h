/* Audio files through libsndfile, resampled through libsamplerate. */
#ifndef INCO_IO_AUDIO_H
#define INCO_IO_AUDIO_H

#include "io/io.h"

/* The mean of the channels, as one column of floats. */
int audio_load(const char *path, const io_how *how, io_array *out, inco_error *error);
/* Reads the length and rate from the header (IO_MEASURED), unless the format only estimates them (INCO_OK). */
int audio_measure(const char *path, const io_how *how, io_array *out, inco_error *error);
int audio_save(output *out, const io_array *array, const io_how *how, inco_error *error);

/* Number of samples after resampling `count` samples. */
int64_t audio_resampled(int64_t count, double from, double to);
/* Replaces m, one column of floats, by the same sound at the rate how->rate. */
int audio_resample(inco_mat *m, double from, const io_how *how, const char *path, inco_error *error);

#endif
