/*
 * inco on a cluster: learning and coding shared by the processes of an MPI program.
 *
 * The communicator comes first. All its ranks make the same call, with the same options and the same data; each reads
 * and codes its own share of the signals, and results have the bits of one process, for any number of ranks on like
 * machines. The library calls neither MPI_Init nor MPI_Finalize, and works on a duplicate of the communicator. It calls
 * MPI from one thread, the caller's: MPI_THREAD_FUNNELED is enough.
 *
 * Between passes the ranks exchange sums only, of L (L + 1) / 2 + D L numbers; methods that hold codes (ksvd, aksvd,
 * inksvd, ipr, aksvdc, idb) are refused. Any rank may read any signal, so all need access to all data; in passes over
 * all signals a rank reads only its own contiguous share.
 *
 * A failure of one rank, such as a file that it cannot read, is returned by all of them, with its message. If a rank
 * dies, the MPI runtime ends the job; a checkpoint (inco_learner_save on rank 0) is resumed with any number of ranks.
 */
#ifndef INCO_INCO_MPI_H
#define INCO_INCO_MPI_H

#include <mpi.h>

#include <inco/inco.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Whole tasks ------------------------------------------------------------------------------------------- */

/* Like inco_learn. All ranks receive the dictionary; the info is that of rank 0. The progress callback is called on
 * every rank, and any of them may stop the run. */
INCO_API int inco_mpi_learn(MPI_Comm comm, const inco_source *source, const inco_options *options,
                            inco_mat *dictionary, inco_learn_info *info, inco_error *error);

/* Like inco_encode, with the same dictionary on all ranks. Rank 0 receives the codes of all signals, in blocks; the
 * others receive none. */
INCO_API int inco_mpi_encode(MPI_Comm comm, const inco_mat *dictionary, const inco_source *source,
                             const inco_options *options, inco_csc *codes, inco_encode_info *info, inco_error *error);

/* ---- Single steps ------------------------------------------------------------------------------------------ */

/* The ranks of a communicator, for calls with options that refer to them: on rank 0 a learner with checkpoints, on the
 * others inco_learner_serve. All ranks create and free it; it must outlive the learners. */
typedef struct inco_mpi inco_mpi;
INCO_API int inco_mpi_new(MPI_Comm comm, inco_mpi **ranks, inco_error *error);
INCO_API void inco_mpi_free(inco_mpi *ranks);

/* Sets the cluster of calls made with these options: inco_options_cluster. */
INCO_API int inco_mpi_use(const inco_mpi *ranks, inco_options *options, inco_error *error);

/* Makes the outcome of a step that every rank did for itself, such as opening files, the same on all ranks: the failure
 * of the lowest rank that has one, with its message. */
INCO_API int inco_mpi_agree(inco_mpi *ranks, int status, inco_error *error);

#ifdef __cplusplus
}
#endif
#endif
