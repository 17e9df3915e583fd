/* libinco_mpi: the two callbacks of inco_cluster over MPI, and whole tasks. It uses the public header only.
 *
 * Ranks often wait for each other: for the update on rank 0, or for the slowest coder. MPI waits by spinning, which
 * takes a core from threads that work. So every exchange begins with a message that is waited for by polling with
 * pauses; the data follows when both sides are there. */
#include <inco/inco_mpi.h>

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG_READY = 1, TAG_DATA };
enum { PIECE = 1 << 17 }; /* numbers of a sum in one message */
enum { EAGER = 2048 };    /* bytes sent without waiting for the receiver */

struct inco_mpi {
    MPI_Comm comm;
    int rank, ranks;
    double *piece[2]; /* received numbers, until they are added */
};

static int fail(inco_error *error, int code, const char *format, ...) {
    va_list args;
    if (!error) return code;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    error->code = code;
    return code;
}

static int check(int outcome, inco_error *error) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (outcome == MPI_SUCCESS) return INCO_OK;
    MPI_Error_string(outcome, text, &length);
    return fail(error, INCO_EIO, "MPI: %.*s", length, text);
}

/* Jumps to the `done:` label if an MPI call, or one of ours, fails. Need `int status` and `error` in scope. */
#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if ((status = check((call), error)) < 0) goto done;                                                            \
    } while (0)
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if ((status = (call)) < 0) goto done;                                                                          \
    } while (0)

/* ---- Waiting ---- */

/* Completes a request: polls for a while, then with pauses that grow to a millisecond. */
static int await(MPI_Request *request, inco_error *error) {
    enum { SPINS = 2000, FIRST = 20000, LONGEST = 1000000 };
    struct timespec pause = {.tv_nsec = FIRST};
    int there = 0, status;
    for (int i = 0;; i++) {
        CHECK(MPI_Test(request, &there, MPI_STATUS_IGNORE));
        if (there) return INCO_OK;
        if (i < SPINS) continue;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < LONGEST) pause.tv_nsec += pause.tv_nsec / 4;
    }
done:
    return status;
}

/* Returns when both ranks have called it. */
static int meet(const inco_mpi *m, int other, int sends, inco_error *error) {
    MPI_Request request;
    char token = 0;
    int status;
    if (sends)
        CHECK(MPI_Issend(&token, 1, MPI_CHAR, other, TAG_READY, m->comm, &request));
    else
        CHECK(MPI_Irecv(&token, 1, MPI_CHAR, other, TAG_READY, m->comm, &request));
    TRY(await(&request, error));
done:
    return status;
}

/* ---- The callbacks ---- */

static int send_values(const inco_mpi *m, double *values, int64_t count, int to, inco_error *error) {
    int status = INCO_OK;
    for (int64_t at = 0; at < count; at += PIECE)
        CHECK(MPI_Send(values + at, (int)(count - at < PIECE ? count - at : PIECE), MPI_DOUBLE, to, TAG_DATA, m->comm));
done:
    return status;
}

/* While a piece is added, the next one arrives. */
static int add_values(const inco_mpi *m, double *values, int64_t count, int from, inco_error *error) {
    MPI_Request request[2];
    int status = INCO_OK;
    for (int64_t at = 0, turn = 0; at < count + PIECE; at += PIECE, turn = !turn) {
        const int64_t before = at - PIECE, size = count - before < PIECE ? count - before : PIECE;
        if (at < count)
            CHECK(MPI_Irecv(m->piece[turn], (int)(count - at < PIECE ? count - at : PIECE), MPI_DOUBLE, from, TAG_DATA,
                            m->comm, &request[turn]));
        if (before < 0) continue;
        CHECK(MPI_Wait(&request[!turn], MPI_STATUS_IGNORE));
        for (int64_t i = 0; i < size; i++) values[before + i] += m->piece[!turn][i];
    }
done:
    return status;
}

static int reduce(void *self, double *values, int64_t count, int64_t from, int64_t to, inco_error *error) {
    const inco_mpi *m = self;
    const int sends = m->rank == from;
    int status = meet(m, (int)(sends ? to : from), sends, error);
    if (status < 0) return status;
    return sends ? send_values(m, values, count, (int)to, error) : add_values(m, values, count, (int)from, error);
}

/* Copies a piece of at most INT_MAX bytes. */
static int copy(const inco_mpi *m, char *data, int bytes, int from, int to, inco_error *error) {
    MPI_Request request;
    int status;
    if (to >= 0) {
        if (bytes > EAGER) TRY(meet(m, m->rank == from ? to : from, m->rank == from, error));
        if (m->rank == from)
            CHECK(MPI_Isend(data, bytes, MPI_BYTE, to, TAG_DATA, m->comm, &request));
        else
            CHECK(MPI_Irecv(data, bytes, MPI_BYTE, from, TAG_DATA, m->comm, &request));
    } else if (bytes > EAGER) { /* all ranks take part now: a small message came before */
        CHECK(MPI_Bcast(data, bytes, MPI_BYTE, from, m->comm));
        return INCO_OK;
    } else {
        CHECK(MPI_Ibcast(data, bytes, MPI_BYTE, from, m->comm, &request));
    }
    TRY(await(&request, error));
done:
    return status;
}

static int broadcast(void *self, void *data, size_t bytes, int64_t from, int64_t to, inco_error *error) {
    const inco_mpi *m = self;
    int status = INCO_OK;
    for (size_t at = 0; at < bytes && status >= 0; at += INT_MAX)
        status =
            copy(m, (char *)data + at, (int)(bytes - at < INT_MAX ? bytes - at : INT_MAX), (int)from, (int)to, error);
    return status;
}

/* ---- The handle ---- */

void inco_mpi_free(inco_mpi *m) {
    if (!m) return;
    if (m->comm != MPI_COMM_NULL) MPI_Comm_free(&m->comm);
    free(m->piece[0]);
    free(m->piece[1]);
    free(m);
}

static int check_started(inco_error *error) {
    int begun = 0, ended = 0;
    if (MPI_Initialized(&begun) != MPI_SUCCESS || !begun)
        return fail(error, INCO_EINVAL, "MPI is not initialised: call MPI_Init first");
    if (MPI_Finalized(&ended) != MPI_SUCCESS || ended) return fail(error, INCO_EINVAL, "MPI is finalised already");
    return INCO_OK;
}

/* MPI errors are returned, not fatal, on our communicator. */
static int open_ranks(inco_mpi *m, MPI_Comm comm, inco_error *error) {
    int status;
    CHECK(MPI_Comm_dup(comm, &m->comm));
    CHECK(MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN));
    CHECK(MPI_Comm_rank(m->comm, &m->rank));
    CHECK(MPI_Comm_size(m->comm, &m->ranks));
    for (int i = 0; i < 2; i++) m->piece[i] = malloc(PIECE * sizeof *m->piece[i]);
    status = m->piece[0] && m->piece[1] ? INCO_OK : fail(error, INCO_ENOMEM, "out of memory");
    TRY(inco_mpi_agree(m, status, error));
done:
    return status;
}

int inco_mpi_new(MPI_Comm comm, inco_mpi **ranks, inco_error *error) {
    int status;
    if (!ranks) return fail(error, INCO_EINVAL, "argument 'ranks' is NULL");
    *ranks = NULL;
    if ((status = check_started(error)) < 0) return status;
    inco_mpi *m = calloc(1, sizeof *m);
    if (!m) return fail(error, INCO_ENOMEM, "out of memory");
    m->comm = MPI_COMM_NULL;
    status = open_ranks(m, comm, error);
    if (status < 0)
        inco_mpi_free(m);
    else
        *ranks = m;
    return status;
}

int inco_mpi_use(const inco_mpi *m, inco_options *options, inco_error *error) {
    if (!m) return fail(error, INCO_EINVAL, "argument 'ranks' is NULL");
    const inco_cluster cluster = {.size = sizeof cluster,
                                  .rank = m->rank,
                                  .ranks = m->ranks,
                                  .self = (void *)m,
                                  .reduce = reduce,
                                  .broadcast = broadcast};
    return inco_options_cluster(options, &cluster, error);
}

int inco_mpi_agree(inco_mpi *m, int given, inco_error *error) {
    struct {
        int failed, rank;
    } own, worst;
    char text[sizeof error->message] = "";
    int status, code = given;
    if (!m) return fail(error, INCO_EINVAL, "argument 'ranks' is NULL");
    own.failed = given < 0 ? 0 : 1;
    own.rank = m->rank;
    CHECK(MPI_Allreduce(&own, &worst, 1, MPI_2INT, MPI_MINLOC, m->comm));
    if (worst.failed) return given;
    if (m->rank == worst.rank && error) memcpy(text, error->message, sizeof text);
    CHECK(MPI_Bcast(&code, 1, MPI_INT, worst.rank, m->comm));
    CHECK(MPI_Bcast(text, (int)sizeof text, MPI_CHAR, worst.rank, m->comm));
    return fail(error, code, "%s", text);
done:
    return status;
}

/* ---- Whole tasks ---- */

/* A copy of the options that refers to the ranks. */
static int use_copy(const inco_mpi *m, const inco_options *options, inco_options **copied, inco_error *error) {
    *copied = inco_options_copy(options);
    if (!*copied) return fail(error, INCO_ENOMEM, "the options are invalid, or there is no memory for a copy");
    return inco_mpi_use(m, *copied, error);
}

/* Rank 0 learns and copies its results; the others serve it. */
static int run_rank(const inco_mpi *m, inco_learner *learner, inco_mat *own, inco_learn_info *info, inco_error *error) {
    inco_mat view;
    int status;
    if (m->rank > 0) return inco_learner_serve(learner, error);
    TRY(inco_learner_run(learner, error));
    const int outcome = status;
    TRY(inco_learner_info(learner, info, error));
    TRY(inco_learner_dictionary(learner, &view, error));
    TRY(inco_mat_new(own, view.type, view.rows, view.cols, error));
    memcpy(own->data, view.data, (size_t)(view.rows * view.cols) * view.type);
    status = outcome;
done:
    return status;
}

/* The results of rank 0, on all ranks. The words of the info are the same everywhere, but at other addresses. */
static int share_results(inco_mpi *m, inco_mat *d, inco_learn_info *info, inco_error *error) {
    int64_t shape[3] = {d->type, d->rows, d->cols};
    char why[16] = "";
    int status = INCO_OK;
    static const char *const words[] = {"iterations", "change", "seconds", "callback"};
    if (info->stopped_by) snprintf(why, sizeof why, "%s", info->stopped_by);
    TRY(broadcast(m, shape, sizeof shape, 0, -1, error));
    if (m->rank > 0) status = inco_mat_new(d, (inco_type)shape[0], shape[1], shape[2], error);
    TRY(inco_mpi_agree(m, status, error));
    TRY(broadcast(m, d->data, (size_t)(shape[1] * shape[2] * shape[0]), 0, -1, error));
    TRY(broadcast(m, info, sizeof *info, 0, -1, error));
    TRY(broadcast(m, why, sizeof why, 0, -1, error));
    info->isa = inco_isa();
    info->blas = inco_blas();
    info->stopped_by = NULL;
    for (int i = 0; i < 4; i++)
        if (!strcmp(words[i], why)) info->stopped_by = words[i];
done:
    return status;
}

/* A copy for a caller that may know fewer fields. */
static void give_info(void *to, const void *own, size_t known) {
    if (!to) return;
    const size_t size = *(size_t *)to;
    memcpy((char *)to + sizeof size, (const char *)own + sizeof size, (size < known ? size : known) - sizeof size);
}

static int learn(inco_mpi *m, const inco_source *source, const inco_options *options, inco_mat *d,
                 inco_learn_info *info, inco_error *error) {
    inco_options *own = NULL;
    inco_learner *learner = NULL;
    int status;
    TRY(inco_mpi_agree(m, use_copy(m, options, &own, error), error));
    TRY(inco_learner_new(&learner, source, own, error));
    status = run_rank(m, learner, d, info, error);
    inco_learner_free(learner); /* on rank 0: ends the service of the others */
    TRY(inco_mpi_agree(m, status, error));
    int outcome = status; /* of rank 0: complete, or stopped */
    TRY(broadcast(m, &outcome, sizeof outcome, 0, -1, error));
    TRY(share_results(m, d, info, error));
    status = outcome;
done:
    inco_options_free(own);
    return status;
}

int inco_mpi_learn(MPI_Comm comm, const inco_source *source, const inco_options *options, inco_mat *dictionary,
                   inco_learn_info *info, inco_error *error) {
    inco_learn_info own = INCO_INIT(inco_learn_info);
    inco_mpi *m = NULL;
    int status;
    if (!dictionary) return fail(error, INCO_EINVAL, "argument 'dictionary' is NULL");
    *dictionary = (inco_mat){0};
    TRY(inco_mpi_new(comm, &m, error));
    TRY(learn(m, source, options, dictionary, &own, error));
    give_info(info, &own, sizeof own);
done:
    if (status < 0) inco_mat_free(dictionary);
    inco_mpi_free(m);
    return status;
}

int inco_mpi_encode(MPI_Comm comm, const inco_mat *dictionary, const inco_source *source, const inco_options *options,
                    inco_csc *codes, inco_encode_info *info, inco_error *error) {
    inco_options *own = NULL;
    inco_mpi *m = NULL;
    int status;
    TRY(inco_mpi_new(comm, &m, error));
    TRY(inco_mpi_agree(m, use_copy(m, options, &own, error), error));
    TRY(inco_encode(dictionary, source, own, codes, info, error));
done:
    inco_options_free(own);
    inco_mpi_free(m);
    return status;
}
