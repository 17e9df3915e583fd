#include "io/codes.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "sparse/csc.h"

typedef struct entry {
    int32_t index;
    double value;
} entry;

/* Refuses index pointers that do not ascend, indices outside the shape, NaN and Inf. */
static int check(const csc *codes, int64_t nonzeros, const char *path, inco_error *error) {
    const int64_t *start = codes->start;
    int good = start[0] == 0 && start[codes->cols] <= nonzeros;
    for (int64_t n = 0; good && n < codes->cols; n++) good = start[n] <= start[n + 1];
    if (!good)
        return error_set(error, INCO_EFORMAT, "%s: the index pointers of the sparse matrix are not ascending", path);
    for (int64_t n = 0; n < codes->cols; n++)
        for (int64_t k = start[n]; k < start[n + 1]; k++) {
            if (codes->index[k] < 0 || codes->index[k] >= codes->rows)
                return error_set(error, INCO_EFORMAT,
                                 "%s: an index of the sparse matrix is outside its shape, %lld x %lld", path,
                                 (long long)codes->cols, (long long)codes->rows);
            if (!isfinite(csc_value(codes, k)))
                return error_set(error, INCO_EDATA, "%s: NaN or Inf at row %lld, column %lld (counted from 0)", path,
                                 (long long)n, (long long)codes->index[k]);
        }
    return INCO_OK;
}

static int is_ascending(const int32_t *index, int64_t count) {
    for (int64_t k = 1; k < count; k++)
        if (index[k - 1] >= index[k]) return 0;
    return 1;
}

static int by_index(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

/* Sorts column n and sums duplicates; returns the number of entries left. */
static int64_t tidy_column(csc *codes, int64_t n, entry *workspace) {
    const int64_t first = codes->start[n], count = codes->start[n + 1] - first;
    int64_t left = 0;
    for (int64_t k = 0; k < count; k++) workspace[k] = (entry){codes->index[first + k], csc_value(codes, first + k)};
    qsort(workspace, (size_t)count, sizeof *workspace, by_index);
    for (int64_t k = 0; k < count; k++) {
        if (left && workspace[left - 1].index == workspace[k].index)
            workspace[left - 1].value += workspace[k].value;
        else
            workspace[left++] = workspace[k];
    }
    for (int64_t k = 0; k < left; k++) {
        codes->index[first + k] = workspace[k].index;
        csc_set_value(codes, first + k, workspace[k].value);
    }
    return left;
}

static int64_t longest_column(const csc *codes) {
    int64_t longest = 0;
    for (int64_t n = 0; n < codes->cols; n++) {
        int64_t count = codes->start[n + 1] - codes->start[n];
        if (count > longest) longest = count;
    }
    return longest;
}

/* Sums of finite duplicates may overflow. */
static int check_sums(const csc *codes, int64_t n, int64_t count, const char *path, inco_error *error) {
    for (int64_t k = codes->start[n]; k < codes->start[n] + count; k++)
        if (!isfinite(csc_value(codes, k)))
            return error_set(error, INCO_EDATA, "%s: the entries at row %lld, column %lld (counted from 0) sum to Inf",
                             path, (long long)n, (long long)codes->index[k]);
    return INCO_OK;
}

/* Sorts the columns that need it, and closes the gaps that summed duplicates leave. */
static int tidy(csc *codes, const char *path, inco_error *error) {
    entry *workspace = NULL;
    int64_t kept = 0, first = 0;
    int status = INCO_OK;
    for (int64_t n = 0; n < codes->cols; n++) {
        int64_t count = codes->start[n + 1] - first;
        codes->start[n] = first;
        if (!is_ascending(codes->index + first, count)) {
            if (!workspace && !(workspace = NEW_RAW(entry, longest_column(codes)))) TRY(error_no_memory(error));
            count = tidy_column(codes, n, workspace);
            TRY(check_sums(codes, n, count, path, error));
        }
        for (int64_t k = 0; kept != first && k < count; k++) {
            codes->index[kept + k] = codes->index[first + k];
            csc_set_value(codes, kept + k, csc_value(codes, first + k));
        }
        first = codes->start[n + 1];
        codes->start[n] = kept;
        kept += count;
    }
    codes->start[codes->cols] = kept;
done:
    memory_free(workspace);
    return status;
}

int codes_clean(csc *codes, int64_t nonzeros, const char *path, inco_error *error) {
    int status = check(codes, nonzeros, path, error);
    return status < 0 ? status : tidy(codes, path, error);
}
