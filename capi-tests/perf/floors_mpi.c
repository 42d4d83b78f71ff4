/* The floors of conduit mpi: the same transfers by MPI itself. */
#include "floors_library.h"
#include <mpi.h>

enum { WINDOW = 64, MOST = 4 << 20 };
static int me, size, peer;
static char *mine, *theirs;
static MPI_Win win;

static void pingpong(int n, int bytes) {
  for (int i = 0; i < n; i++)
    for (int turn = 0; turn < 2; turn++)
      if (turn == me) MPI_Send(mine, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
      else MPI_Recv(theirs, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* As conduit mpi sends and receives: from any source, into receives that stay posted, without a call that waits. */
static void pingpong_any(int n, int bytes) {
  enum { POSTED = 64 };
  MPI_Request receives[POSTED], request;
  int arrived;
  for (int i = 0; i < POSTED; i++) MPI_Recv_init(theirs + (size_t)i * 32768, 32768, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &receives[i]);
  MPI_Startall(POSTED, receives);
  for (int i = 0; i < n; i++)
    for (int turn = 0; turn < 2; turn++) {
      if (turn == me) {
        MPI_Isend(mine, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &request);
        do MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
        while (!arrived);
        continue;
      }
      MPI_Status status;
      do MPI_Test(&receives[i % POSTED], &arrived, &status);
      while (!arrived);
      MPI_Start(&receives[i % POSTED]);
    }
  /* The receives that are left, each end by a message. */
  for (int i = n; i < n + POSTED; i++) {
    MPI_Isend(mine, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&receives[i % POSTED], MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&receives[i % POSTED]);
  }
}

static void flood(int n, int bytes) {
  MPI_Request all[WINDOW];
  for (int from = 0; from < n; from += WINDOW) {
    for (int i = 0; i < WINDOW; i++)
      if (me == 0) MPI_Isend(mine, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &all[i]);
      else MPI_Irecv(theirs + (size_t)i * (bytes <= 65536 ? bytes : 0), bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &all[i]);
    MPI_Waitall(WINDOW, all, MPI_STATUSES_IGNORE);
  }
}

static void put(int n, int bytes) {
  for (int i = 0; me == 0 && i < n; i++) {
    MPI_Put(mine, bytes, MPI_BYTE, peer, 0, bytes, MPI_BYTE, win);
    MPI_Win_flush(peer, win);
  }
}

static void get(int n, int bytes) {
  for (int i = 0; me == 0 && i < n; i++) {
    MPI_Get(mine, bytes, MPI_BYTE, peer, 0, bytes, MPI_BYTE, win);
    MPI_Win_flush(peer, win);
  }
}

static void puts_at_once(int n, int bytes) {
  for (int i = 0; me == 0 && i < n; i++) MPI_Put(mine, bytes, MPI_BYTE, peer, 0, bytes, MPI_BYTE, win);
  if (me == 0) MPI_Win_flush(peer, win);
}

static void gets_at_once(int n, int bytes) {
  for (int i = 0; me == 0 && i < n; i++) MPI_Get(mine, bytes, MPI_BYTE, peer, 0, bytes, MPI_BYTE, win);
  if (me == 0) MPI_Win_flush(peer, win);
}

static void barrier(int n, int bytes) {
  (void)bytes;
  for (int i = 0; i < n; i++) MPI_Barrier(MPI_COMM_WORLD);
}

static void broadcast(int n, int bytes) {
  for (int i = 0; i < n; i++) MPI_Bcast(mine, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void reduce(int n, int bytes) {
  for (int i = 0; i < n; i++) MPI_Allreduce(mine, theirs, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void gather(int n, int bytes) {
  for (int i = 0; i < n; i++) MPI_Allgather(mine, bytes, MPI_BYTE, theirs, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

/* The calls that do not wait, which conduit mpi uses. */
static void finish(MPI_Request *request) {
  int done;
  do MPI_Test(request, &done, MPI_STATUS_IGNORE);
  while (!done);
}

static void start_broadcast(int n, int bytes) {
  MPI_Request request;
  for (int i = 0; i < n; i++) {
    MPI_Ibcast(mine, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    finish(&request);
  }
}

static void start_reduce(int n, int bytes) {
  MPI_Request request;
  for (int i = 0; i < n; i++) {
    MPI_Iallreduce(mine, theirs, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    finish(&request);
  }
}

static void start_gather(int n, int bytes) {
  MPI_Request request;
  for (int i = 0; i < n; i++) {
    MPI_Iallgather(mine, bytes, MPI_BYTE, theirs, bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
    finish(&request);
  }
}

static const struct library_floor floors[] = {
    {"mpi-pingpong", pingpong}, {"mpi-flood", flood}, {"mpi-put", put}, {"mpi-get", get}, {"mpi-puts", puts_at_once},
    {"mpi-gets", gets_at_once}, {"mpi-barrier", barrier}, {"mpi-broadcast", broadcast}, {"mpi-reduce", reduce}, {"mpi-gather", gather},
    {"mpi-pingpong-any", pingpong_any}, {"mpi-ibroadcast", start_broadcast}, {"mpi-ireduce", start_reduce}, {"mpi-igather", start_gather},
};

static double seconds(void (*run)(int, int), int n, int bytes) {
  double start, took;
  MPI_Barrier(MPI_COMM_WORLD);
  start = MPI_Wtime();
  run(n, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  took = MPI_Wtime() - start;
  MPI_Bcast(&took, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return took;
}

int main(int argc, char **argv) {
  struct floor_wish wish;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  peer = !me;
  if (!floor_wish(&wish, argc, argv, floors, sizeof floors / sizeof *floors, MOST)) MPI_Abort(MPI_COMM_WORLD, 2);
  mine = malloc(MOST), theirs = malloc(MOST * (size_t)size);
  /* Pages that were never written are all the same page of zeros, which is always in the cache. */
  memset(mine, 1, MOST), memset(theirs, 1, MOST * (size_t)size);
  MPI_Win_create(theirs, MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  measure_floor(&wish, me, seconds);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
