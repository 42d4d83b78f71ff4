/* Puts that wait for a quiet: counts the calls of shmem_quiet, which this program defines and passes on. Rank 0 prints `quiet ok`. Run with
 * GASNET_SHMEM_PTR=NO, so that puts are the library's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <gasnet.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000 };
static int quiets;

__attribute__((visibility("default"))) void shmem_quiet(void) {
  static void (*next)(void);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "shmem_quiet");
  quiets++;
  next();
}

static void expect(int is, const char *what) {
  if (is) return;
  fprintf(stderr, "quiet: not so: %s (%d quiets)\n", what, quiets);
  gasnet_exit(1);
}

int main(int argc, char **argv) {
  static gasnet_handle_t handles[N];
  static uint64_t sent[N], back[N];
  gasnet_seginfo_t info[64];
  uint64_t *there;
  int i;
  gasnet_init(&argc, &argv);
  gasnet_attach(NULL, 0, 16 * GASNET_PAGESIZE, 0);
  gasnet_getSegmentInfo(info, 64);
  if (gasnet_mynode() == 0) {
    there = (uint64_t *)info[1].addr;
    for (i = 0; i < N; i++) sent[i] = 3 * (uint64_t)i + 1;
    quiets = 0;
    for (i = 0; i < N; i++) handles[i] = gasnet_put_nb(1, &there[i], &sent[i], 8);
    for (i = 0; i < N; i++) expect(handles[i] != GASNET_INVALID_HANDLE, "a put waits for a quiet");
    expect(quiets == 0, "puts call no quiet");
    gasnet_wait_syncnb_all(handles, N);
    expect(quiets == 1, "one quiet completes an array of puts");
    for (i = 0; i < N; i++) expect(handles[i] == GASNET_INVALID_HANDLE, "all puts of the array are complete");
    expect(gasnet_get_nb_bulk(back, 1, there, sizeof back) == GASNET_INVALID_HANDLE, "a get is complete when it returns");
    expect(!memcmp(sent, back, sizeof back), "the bytes are there");
    for (i = 0; i < N; i++) gasnet_put_nbi_val(1, &there[i], i, 8);
    expect(quiets == 1, "implicit puts call no quiet");
    gasnet_wait_syncnbi_gets();
    expect(quiets == 1, "implicit gets need none");
    gasnet_wait_syncnbi_puts();
    gasnet_wait_syncnbi_all();
    expect(quiets == 2, "one quiet completes all implicit puts");
    gasnet_begin_nbi_accessregion();
    for (i = 0; i < N; i++) gasnet_put_nbi_bulk(1, &there[i], &sent[i], 8);
    handles[0] = gasnet_end_nbi_accessregion();
    expect(handles[0] != GASNET_INVALID_HANDLE && quiets == 2, "an access region's puts wait for its handle");
    expect(gasnet_try_syncnb(handles[0]) == GASNET_OK, "try synchronises");
    expect(quiets == 3, "one quiet completes an access region");
    gasnet_get_bulk(back, 1, there, sizeof back);
    expect(!memcmp(sent, back, sizeof back), "the bytes of the region are there");
    gasnet_put(1, there, &sent[5], 8);
    expect(quiets == 4 && gasnet_get_val(1, there, 8) == sent[5], "a blocking put is complete");
    printf("quiet ok\n");
    fflush(stdout);
  }
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_exit(0);
}
