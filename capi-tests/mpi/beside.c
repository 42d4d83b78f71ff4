/* A program that uses MPI and GASNet: `beside CASE`. Both communicate; then it ends as the case says. */
#include <mpi.h>
#include <gasnet.h>
#include <stdio.h>
#include <string.h>

static volatile int got;
static void told(gasnet_token_t token, gasnet_handlerarg_t value) {
  (void)token;
  got = value;
}

static void tell(int value) {
  gasnet_AMRequestShort1((gasnet_mynode() + 1) % gasnet_nodes(), 200, value);
  GASNET_BLOCKUNTIL(got == value);
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "after";
  gasnet_handlerentry_t table[] = {{200, (void (*)(void))told}};
  int is_initialized, rank, sum = 0;
#define IS(text) !strcmp(name, text)
  if (IS("init-first") || IS("finalized-before")) MPI_Init(&argc, &argv);
  if (IS("finalized-before")) MPI_Finalize();
  gasnet_init(&argc, &argv);
  gasnet_attach(table, 1, GASNET_PAGESIZE, 0);
  MPI_Initialized(&is_initialized);
  if (!is_initialized) MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  tell(7);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  if (rank == (int)gasnet_mynode() && sum == (int)(gasnet_nodes() * (gasnet_nodes() - 1) / 2)) printf("rank %d ok\n", rank);
  fflush(stdout);
  if (IS("abort") && rank == 0) MPI_Abort(MPI_COMM_WORLD, 5);
  if (IS("finalize-first") || IS("finalized-then-talks")) MPI_Finalize();
  if (IS("finalized-then-talks")) tell(8);
  if (IS("return")) return 0;
  gasnet_exit(IS("three") ? 3 : 0);
}
