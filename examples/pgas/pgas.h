/* A small runtime for a partitioned global address space over GASNet-1, as a compiler of a language like UPC uses it.

   A program has pgas_threads() threads, the same number on each rank; all run the same function. Each owns a part of the
   shared memory, of the same size and layout, so that an offset identifies the same object in all parts. Shared arrays are
   distributed block-cyclically over the threads; a global pointer consists of the owning thread, the address there, and
   the index in its block, and supports pointer arithmetic over the whole array.

   Relaxed accesses of a thread may become visible to other threads in any order until it fences; the thread sees its own
   accesses in order. All threads see a strict access after all earlier accesses of its thread and before all later ones.
   Barriers, locks and collectives fence. Collective functions are called by all threads, in the same order.

   Environment: PGAS_THREADS threads per rank (2), PGAS_HEAP shared memory of a thread in MiB (64). */
#ifndef PGAS_H
#define PGAS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *addr;      /* at its owner */
  uint32_t thread; /* the owner */
  uint32_t phase;  /* elements from the beginning of the block */
} pgas_ptr;

/* A distributed array, as `shared [block] T name[count]`: elements of `elem` bytes, in blocks of `block` elements. */
typedef struct {
  pgas_ptr first;
  size_t elem, block, count;
} pgas_array;

/* An element of an array of locks; all zero is a free lock. Each lock is managed by the thread that owns it. */
typedef struct {
  uint32_t holder, first, last; /* threads, counted from 1 */
} pgas_lock_t;

/* Starts the job and runs `program` on all threads; ends the job with the maximum of the returned values. */
void pgas_run(int argc, char **argv, int (*program)(int argc, char **argv));
/* Ends the job at once, from any thread. */
void pgas_exit(int code);
/* Ends the job, after a line on stderr. */
void pgas_fail(const char *format, ...) __attribute__((__format__(__printf__, 1, 2), __noreturn__));
/* Allocates zeroed private memory; release it with free(). */
void *pgas_private(size_t count, size_t each);

uint32_t pgas_threads(void); /* the number of threads in the job */
uint32_t pgas_me(void);      /* the calling thread */
uint32_t pgas_ranks(void);

/* --- arrays and pointers into them ------------------------------------------------------------------------------- */

/* Allocates a zeroed shared array. Collective; the memory is released at the end of the job. */
pgas_array pgas_alloc(size_t count, size_t elem, size_t block);
/* A pointer to element `index`, which may be the one after the last. */
pgas_ptr pgas_at(const pgas_array *array, size_t index);
/* Pointer arithmetic: advances by `by` elements; the number of elements from `from` to `to`. */
pgas_ptr pgas_add(const pgas_array *array, pgas_ptr p, ptrdiff_t by);
ptrdiff_t pgas_distance(const pgas_array *array, pgas_ptr from, pgas_ptr to);
/* The thread that owns element `index`. */
uint32_t pgas_owner(const pgas_array *array, size_t index);
/* The local address, if a thread of this rank owns the element; else NULL. */
void *pgas_local(pgas_ptr p);

/* --- access: `nbytes` within one block --------------------------------------------------------------------------- */

void pgas_put(pgas_ptr to, const void *from, size_t nbytes);
void pgas_get(void *to, pgas_ptr from, size_t nbytes);
void pgas_put_strict(pgas_ptr to, const void *from, size_t nbytes);
void pgas_get_strict(void *to, pgas_ptr from, size_t nbytes);
/* Starts to get `count` pieces of `each` bytes that belong to one thread: piece i goes to to[i]. The lists must not be
   changed before pgas_fence(), after which the data are available. */
void pgas_get_pieces(void *const to[], uint32_t thread, void *const from[], size_t count, size_t each);
/* Completes all accesses of this thread. */
void pgas_fence(void);
/* Polls; for loops that wait for another thread's access. */
void pgas_poll(void);

/* --- barriers, collectives, locks --------------------------------------------------------------------------------- */

/* All threads that pass a name (`id` not 0) must pass the same name. */
void pgas_notify(int id);
void pgas_wait(int id);
void pgas_barrier(int id);
/* Copies the bytes at `data` of thread `root` to all threads. */
void pgas_broadcast(void *data, size_t nbytes, uint32_t root);
/* Gathers `nbytes` bytes of each thread on all threads, in the order of threads. */
void pgas_gather_all(void *all, const void *mine, size_t nbytes);
/* Replaces each value by the sum, or the maximum, over all threads; the results are bitwise identical on all threads. */
void pgas_sum(double *values, size_t count);
void pgas_max(double *values, size_t count);

/* A thread waits for a lock in a queue, and for one lock at a time. */
void pgas_lock(pgas_ptr lock);
int pgas_trylock(pgas_ptr lock); /* 1 if acquired */
void pgas_unlock(pgas_ptr lock);

#endif
