#ifdef INCO_HAVE_AUDIO
#include "io/audio.h"

#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/memory.h"
#include "base/owner.h"
#include "base/range.h"
#include "io/file.h"

enum { BLOCK = 4096, MAX_ANNOUNCED = 1 << 22 }; /* frames */

/* ---- Reading ---- */

typedef struct samples {
    float *values;
    int64_t used, capacity;
    const char *path;
    int64_t limit;
} samples;

/* Lossless compression of silence has no limit: only the memory has. */
static int reserve(samples *s, int64_t more, inco_error *error) {
    if (s->capacity - s->used >= more) return INCO_OK;
    const int64_t capacity = s->capacity + s->capacity / 2 + more;
    const limit_claim claim = {s->path, "samples", capacity, 2 * sizeof(float), INFINITY, s->limit};
    int status = limit_check(&claim, error);
    if (status < 0) return status;
    float *larger = memory_grow(s->values, s->used, capacity, sizeof *larger);
    if (!larger) return error_no_memory(error);
    s->values = larger;
    s->capacity = capacity;
    return INCO_OK;
}

/* Appends the mean of the channels. The length in the header is not trusted: it sets the initial capacity only, within
 * limits. */
static int read_all(SNDFILE *file, const SF_INFO *info, samples *s, inco_error *error) {
    const int64_t announced = range_min(info->frames, MAX_ANNOUNCED);
    const int channels = info->channels;
    float *frames = NEW_RAW(float, (int64_t)BLOCK *channels);
    int status = frames ? reserve(s, announced > 0 ? announced : 0, error) : error_no_memory(error);
    for (sf_count_t got; status >= 0 && (got = sf_readf_float(file, frames, BLOCK)) > 0;) {
        status = reserve(s, got, error);
        for (int64_t i = 0; status >= 0 && i < got; i++) {
            double sum = 0;
            for (int c = 0; c < channels; c++) sum += frames[i * channels + c];
            s->values[s->used++] = (float)(sum / channels);
        }
    }
    memory_free(frames);
    return status;
}

/* MP3 only estimates its length. */
static int is_exact(const char *path) {
    return strcasecmp(strrchr(path, '.'), ".mp3") != 0;
}

static int check_samples(const char *path, SNDFILE *file, const SF_INFO *info, const samples *s, inco_error *error) {
    if (sf_error(file) != SF_ERR_NO_ERROR)
        return error_set(error, INCO_EFORMAT, "%s: damaged or truncated after %lld samples: %s", path,
                         (long long)s->used, sf_strerror(file));
    if (is_exact(path) && info->frames < SF_COUNT_MAX && s->used < info->frames)
        return error_set(error, INCO_EFORMAT, "%s: truncated: has %lld of %lld samples", path, (long long)s->used,
                         (long long)info->frames);
    for (int64_t i = 0; i < s->used; i++)
        if (!isfinite(s->values[i]))
            return error_set(error, INCO_EDATA, "%s: %s at sample %lld (counted from 0); such values cannot be used",
                             path, isnan(s->values[i]) ? "NaN" : "Inf", (long long)i);
    return INCO_OK;
}

static int open_audio(SNDFILE **file, SF_INFO *info, const char *path, inco_error *error) {
    int status = file_check(path, NULL, error);
    if (status < 0) return status;
    *info = (SF_INFO){0};
    *file = sf_open(path, SFM_READ, info);
    return *file ? INCO_OK : error_set(error, INCO_EFORMAT, "%s: cannot be read as audio: %s", path, sf_strerror(NULL));
}

static int decode(const char *path, samples *s, double *rate, inco_error *error) {
    SF_INFO info;
    SNDFILE *file;
    int status = open_audio(&file, &info, path, error);
    if (status < 0) return status;
    *rate = info.samplerate;
    TRY(read_all(file, &info, s, error));
    TRY(check_samples(path, file, &info, s, error));
done:
    sf_close(file);
    return status;
}

/* Without a copy where the header had the right length: copies among what is kept would leave holes in memory. */
static int take_samples(samples *s, inco_mat *m, inco_error *error) {
    if (s->used < s->capacity || !s->used) {
        const int status = mat_new_raw(m, INCO_F32, s->used, 1, error);
        if (status >= 0 && s->used) memcpy(m->data, s->values, (size_t)s->used * sizeof *s->values);
        return status;
    }
    *m = mat_view(INCO_F32, s->used, 1, s->values);
    s->values = NULL;
    m->owner = owner_of_block(m->data);
    return m->owner ? INCO_OK : error_no_memory(error);
}

int audio_load(const char *path, const io_how *how, io_array *out, inco_error *error) {
    samples s = {.path = path, .limit = how->limit};
    double rate = 0;
    int status;
    TRY(decode(path, &s, &rate, error));
    TRY(take_samples(&s, &out->m, error));
    out->rate = rate;
    if (how->rate > 0 && how->rate != rate) {
        out->rate = how->rate;
        TRY(audio_resample(&out->m, rate, how, path, error));
    }
done:
    if (status < 0) inco_mat_free(&out->m);
    memory_free(s.values);
    return status;
}

int audio_measure(const char *path, const io_how *how, io_array *out, inco_error *error) {
    SF_INFO info;
    SNDFILE *file;
    int status = is_exact(path) ? open_audio(&file, &info, path, error) : INCO_OK;
    if (status < 0 || !is_exact(path)) return status;
    sf_close(file);
    if (info.frames < 0 || info.frames == SF_COUNT_MAX) return INCO_OK;
    out->m = mat_view(INCO_F32, info.frames, 1, NULL);
    out->rate = info.samplerate;
    if (how->rate > 0 && how->rate != out->rate) {
        out->m.rows = out->m.ld = audio_resampled(info.frames, out->rate, how->rate);
        out->rate = how->rate;
    }
    return IO_MEASURED;
}

/* ---- Writing ---- */

static sf_count_t output_length(void *self) {
    output *o = self;
    int64_t here = output_seek(o, 0, SEEK_CUR), end = output_seek(o, 0, SEEK_END);
    output_seek(o, here, SEEK_SET);
    return end;
}

static sf_count_t output_move(sf_count_t offset, int whence, void *self) {
    return output_seek(self, offset, whence);
}
static sf_count_t output_place(void *self) {
    return output_seek(self, 0, SEEK_CUR);
}
static sf_count_t output_put(const void *bytes, sf_count_t count, void *self) {
    return output_write(self, bytes, (size_t)count) < 0 ? 0 : count;
}
static sf_count_t output_get(void *bytes, sf_count_t count, void *self) {
    (void)bytes, (void)count, (void)self;
    return 0;
}

/* WAV and AU store floats unchanged; FLAC and AIFF 24 bits, clipped at full scale. */
static int format_of(const char *path) {
    static const struct row {
        const char *ending;
        int format;
    } rows[] = {{".wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT},
                {".flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_24},
                {".ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS},
                {".aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_24},
                {".au", SF_FORMAT_AU | SF_FORMAT_FLOAT}};
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending && i < sizeof rows / sizeof *rows; i++)
        if (!strcasecmp(ending, rows[i].ending)) return rows[i].format;
    return rows[0].format;
}

/* Samples beyond full scale, which formats of integers cannot hold. */
static int64_t count_clipped(const inco_mat *m, int format) {
    const float *values = m->data;
    int64_t count = 0;
    if ((format & SF_FORMAT_SUBMASK) != SF_FORMAT_PCM_24) return 0;
    for (int64_t i = 0; i < m->rows; i++) count += fabsf(values[i]) > 1;
    return count;
}

int audio_save(output *out, const io_array *array, const io_how *how, inco_error *error) {
    SF_VIRTUAL_IO to_output = {output_length, output_move, output_get, output_put, output_place};
    SF_INFO info = {.samplerate = (int)lround(how->rate), .channels = 1, .format = format_of(out->name)};
    const inco_mat *m = &array->m;
    SNDFILE *file = sf_open_virtual(&to_output, SFM_WRITE, &info, out);
    if (!file)
        return error_set(error, INCO_EINVAL, "cannot write %s at %d Hz: %s", out->name, info.samplerate,
                         sf_strerror(NULL));
    sf_command(file, SFC_SET_CLIPPING, NULL, SF_TRUE);
    sf_command(file, SFC_SET_ADD_PEAK_CHUNK, NULL, SF_FALSE); /* it would hold the time: equal sound must give equal
                                                               * bytes */
    int failed = 0;
    for (int64_t i = 0; !failed && i < m->rows; i += BLOCK) {
        const int64_t count = range_min(m->rows - i, BLOCK);
        failed = sf_write_float(file, (const float *)m->data + i, count) != count;
    }
    if (sf_close(file) != 0 || failed || out->trouble)
        return error_set(error, INCO_EIO, "cannot write %s: the audio library failed", out->name);
    const int64_t clipped = count_clipped(m, info.format);
    if (!clipped) return INCO_OK;
    return error_set(
        error, INCO_CLIPPED,
        "%s: %lld of %lld samples are beyond full scale and were clipped: .wav and .au store them unchanged", out->name,
        (long long)clipped, (long long)m->rows);
}
#else
typedef int audio_not_built;
#endif
