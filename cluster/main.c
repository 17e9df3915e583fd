/* inco-mpi: the commands of inco that run on the ranks of an MPI job. */
#include <stdio.h>

#include <inco/inco_mpi.h>

#include "cli/commands.h"
#include "cli/fast_blas.h"
#include "cli/program.h"

static const command *const table[] = {&learn_command, &encode_command};

const command *commands_at(int i) {
    return i >= 0 && i < 2 ? table[i] : NULL;
}

const char *commands_program(void) {
    return "inco-mpi";
}

static int use(void *self, inco_options *options, inco_error *error) {
    return inco_mpi_use(self, options, error);
}

static int agree(void *self, int status, inco_error *error) {
    return inco_mpi_agree(self, status, error);
}

int main(int argc, char **argv) {
    inco_error error = {0};
    inco_mpi *all = NULL;
    int code, level, rank, ranks;
    use_fast_blas(argv);
    if (program_tells(argc, argv, &code)) return code;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    code = 1;
    if (inco_mpi_new(MPI_COMM_WORLD, &all, &error) >= 0) {
        const run_ranks by = {rank, ranks, all, use, agree};
        code = program_run(argc, argv, &by);
    } else if (rank == 0) {
        fprintf(stderr, "inco-mpi: %s\n", error.message);
    }
    inco_mpi_free(all);
    MPI_Finalize();
    return code;
}
