/* Rank after rank sends its codes in blocks of signals, so that rank 0 holds the codes and one block. */
#include "data/gather.h"

#include "base/error.h"
#include "base/range.h"
#include "sparse/wide.h"

enum { BLOCK = 4096 }; /* signals */

/* One block on its way: its size, and on rank 0 whether there is memory for it. */
typedef struct block_head {
    int64_t cols, nonzeros, status;
} block_head;

/* Makes a block with 32-bit indices of the signals from `first` on. */
static int cut(csc *block, const inco_csc *codes, int64_t first, const block_head *head, inco_error *error) {
    const int64_t from = codes->start[first];
    int status = csc_new(block, codes->type, codes->rows, head->cols, head->nonzeros, error);
    if (status < 0) return status;
    block->cols = head->cols;
    for (int64_t n = 0; n <= head->cols; n++) block->start[n] = codes->start[first + n] - from;
    for (int64_t k = 0; k < head->nonzeros; k++) {
        block->index[k] = (int32_t)codes->index[from + k];
        csc_set_value(block, k, wide_value(codes, from + k));
    }
    return status;
}

static int move_block(csc *block, int64_t nonzeros, cluster *by, int64_t from, inco_error *error) {
    const size_t count = (size_t)nonzeros;
    int status;
    TRY(cluster_move(by, block->start, (size_t)(block->cols + 1) * sizeof *block->start, from, 0, error));
    TRY(cluster_move(by, block->index, count * sizeof *block->index, from, 0, error));
    TRY(cluster_move(by, block->value, count * block->type, from, 0, error));
done:
    return status;
}

/* Rank 0 and the sender agree on each block before it travels. */
static int send_block(const inco_csc *codes, int64_t first, cluster *by, inco_error *error) {
    const int64_t rank = by->by.rank, cols = range_min(codes->cols - first, BLOCK);
    block_head head = {.cols = cols, .nonzeros = codes->start[first + cols] - codes->start[first]};
    csc block = {0};
    int status;
    head.status = cut(&block, codes, first, &head, error);
    TRY(cluster_move(by, &head, sizeof head, rank, 0, error));
    TRY(cluster_move(by, &head, sizeof head, 0, rank, error));
    status = head.status < 0 ? error_no_memory(error) : move_block(&block, head.nonzeros, by, rank, error);
done:
    csc_free(&block);
    return status;
}

static int receive_block(inco_csc *codes, int64_t from, cluster *by, inco_error *error) {
    block_head head;
    csc block = {0};
    int status;
    TRY(cluster_move(by, &head, sizeof head, from, 0, error));
    if (head.status >= 0) head.status = csc_new(&block, codes->type, codes->rows, head.cols, head.nonzeros, error);
    TRY(cluster_move(by, &head, sizeof head, 0, from, error));
    if (head.status < 0) TRY(error_no_memory(error));
    block.cols = head.cols;
    TRY(move_block(&block, head.nonzeros, by, from, error));
    TRY(wide_append(codes, &block, error));
done:
    csc_free(&block);
    return status;
}

/* Rank 0 asks a rank for its codes, or, after a failure, for none of them. */
static int receive_all(inco_csc *codes, int64_t from, int status, cluster *by, inco_error *error) {
    int64_t count = status < 0, link = cluster_move(by, &count, sizeof count, 0, from, error);
    if (status >= 0) status = (int)link;
    if (status >= 0) status = cluster_move(by, &count, sizeof count, from, 0, error);
    for (int64_t n = 0; status >= 0 && n < count; n += BLOCK) status = receive_block(codes, from, by, error);
    return status;
}

static int send_all(const inco_csc *codes, cluster *by, inco_error *error) {
    int64_t failed, count = codes->cols;
    int status = cluster_move(by, &failed, sizeof failed, 0, by->by.rank, error);
    if (status < 0 || failed) return status;
    status = cluster_move(by, &count, sizeof count, by->by.rank, 0, error);
    for (int64_t n = 0; status >= 0 && n < count; n += BLOCK) status = send_block(codes, n, by, error);
    return status;
}

int gather_codes(inco_csc *codes, cluster *by, inco_error *error) {
    int status = INCO_OK;
    if (cluster_ranks(by) == 1) return status;
    for (int64_t rank = 1; cluster_is_first(by) && rank < cluster_ranks(by); rank++)
        status = receive_all(codes, rank, status, by, error);
    if (!cluster_is_first(by)) status = send_all(codes, by, error);
    if (!cluster_is_first(by)) inco_csc_free(codes);
    return cluster_agree(by, status, error);
}
