/* A program that uses OpenSHMEM and GASNet: `beside CASE`. Both communicate; then it ends as the case says. */
#include <gasnet.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int got;
static void told(gasnet_token_t token, gasnet_handlerarg_t value) {
  (void)token;
  got = value;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "after";
  gasnet_handlerentry_t table[] = {{200, (void (*)(void))told}};
  gasnet_seginfo_t info[64];
  long *word;
  int next;
#define IS(text) !strcmp(name, text)
  if (IS("init-first")) {
    setenv("OMPI_MCA_memory", "^patcher", 0);
    shmem_init();
  }
  gasnet_init(&argc, &argv);
  gasnet_attach(table, 1, 4 * GASNET_PAGESIZE, 0);
  gasnet_getSegmentInfo(info, 64);
  next = (int)((gasnet_mynode() + 1) % gasnet_nodes());
  word = shmem_malloc(sizeof *word);
  *word = -1;
  shmem_barrier_all();
  shmem_long_p(word, shmem_my_pe(), next);
  shmem_barrier_all();
  gasnet_put_val((gasnet_node_t)next, info[next].addr, (gasnet_register_value_t)gasnet_mynode() + 1, 8);
  gasnet_AMRequestShort1((gasnet_node_t)next, 200, 7);
  GASNET_BLOCKUNTIL(got == 7);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  next = (int)((gasnet_mynode() + gasnet_nodes() - 1) % gasnet_nodes());
  if (shmem_my_pe() == (int)gasnet_mynode() && *word == next && *(uint64_t *)info[gasnet_mynode()].addr == (uint64_t)next + 1)
    printf("rank %d ok\n", (int)gasnet_mynode());
  fflush(stdout);
  if (IS("return")) return 0;
  if (IS("abort") && gasnet_mynode() == 0) shmem_global_exit(5);
  gasnet_exit(IS("three") ? 3 : 0);
}
