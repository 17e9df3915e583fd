#include "io/audio.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/memory.h"
#include "mat/mat.h"

int64_t audio_resampled(int64_t count, double from, double to) {
    return (int64_t)ceil((double)count * (to / from));
}

#ifdef INCO_HAVE_RESAMPLE
#include <samplerate.h>

int audio_resample(inco_mat *m, double from, const io_how *how, const char *path, inco_error *error) {
    const double to = how->rate, ratio = to / from;
    inco_mat result = {0};
    int status;
    if (!src_is_valid_ratio(ratio))
        return error_set(error, INCO_EINVAL, "%s: cannot resample from %g to %g Hz: the ratio is beyond 256", path,
                         from, to);
    const int64_t count = audio_resampled(m->rows, from, to);
    TRY(limit_check(&(limit_claim){path, "resampled samples", count, 2 * sizeof(float), INFINITY, how->limit}, error));
    TRY(inco_mat_new(&result, INCO_F32, count, 1, error));
    SRC_DATA job = {.data_in = m->data,
                    .data_out = result.data,
                    .input_frames = (long)m->rows,
                    .output_frames = (long)result.rows,
                    .src_ratio = ratio};
    int trouble = m->rows ? src_simple(&job, SRC_SINC_MEDIUM_QUALITY, 1) : 0;
    if (trouble) TRY(error_set(error, INCO_EDATA, "%s: cannot resample: %s", path, src_strerror(trouble)));
    inco_mat_free(m);
    *m = result;
    return INCO_OK;
done:
    inco_mat_free(&result);
    return status;
}
#else
int audio_resample(inco_mat *m, double from, const io_how *how, const char *path, inco_error *error) {
    (void)m, (void)from, (void)how;
    return io_need_feature(IO_RESAMPLE, path, error);
}
#endif
