/* A small runtime for a partitioned global address space over GASNet-1: what a compiler of a language like UPC calls.

   A program has pgas_threads() threads, so many of each rank; all run the same function. Each owns a part of the shared
   memory, of the same size and laid out the same, so that one offset says where something lies for all of them. Shared
   arrays are dealt to the threads in blocks, round and round; a global pointer says which thread, where there, and how
   far from the beginning of a block, and can be counted up and down through all of an array.

   Relaxed accesses of a thread may be seen by others in any order until it fences; it sees its own in order. A strict
   access comes after all that the thread did before, and before all that it does afterwards, as everybody sees it.
   Barriers, locks and collectives fence. Collective functions are called by all threads, in the same order.

   Environment: PGAS_THREADS threads a rank (2), PGAS_HEAP shared memory of a thread in MiB (64). */
#ifndef PGAS_H
#define PGAS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *addr;      /* at its owner */
  uint32_t thread; /* the owner */
  uint32_t phase;  /* elements from the beginning of the block */
} pgas_ptr;

/* As `shared [block] T name[count]`: elements of `elem` bytes, in blocks of `block` elements. */
typedef struct {
  pgas_ptr first;
  size_t elem, block, count;
} pgas_array;

/* What an element of an array of locks looks like; all zero is a lock that nobody has. Each is kept by the thread that
   owns it. */
typedef struct {
  uint32_t holder, first, last; /* threads, counted from 1 */
} pgas_lock_t;

/* Starts the job and runs `program` on all threads; ends the job with the largest value that any of them returned. */
void pgas_run(int argc, char **argv, int (*program)(int argc, char **argv));
/* Ends the job at once, from any thread. */
void pgas_exit(int code);
/* Ends the job, after a line on stderr. */
void pgas_fail(const char *format, ...) __attribute__((__format__(__printf__, 1, 2), __noreturn__));
/* Memory of this thread, set to zero; free() takes it back. */
void *pgas_private(size_t count, size_t each);

uint32_t pgas_threads(void); /* in the job */
uint32_t pgas_me(void);      /* which of them calls */
uint32_t pgas_ranks(void);

/* --- arrays and pointers into them ------------------------------------------------------------------------------- */

/* A shared array, all zero. Collective; the memory comes back when the job ends. */
pgas_array pgas_alloc(size_t count, size_t elem, size_t block);
/* Element `index`, which may be the one after the last. */
pgas_ptr pgas_at(const pgas_array *array, size_t index);
/* `by` elements on, or back; and how many elements from `from` to `to`. */
pgas_ptr pgas_add(const pgas_array *array, pgas_ptr p, ptrdiff_t by);
ptrdiff_t pgas_distance(const pgas_array *array, pgas_ptr from, pgas_ptr to);
/* Who has element `index`. */
uint32_t pgas_owner(const pgas_array *array, size_t index);
/* Where it lies, if a thread of this rank has it; else NULL. */
void *pgas_local(pgas_ptr p);

/* --- access: `nbytes` within one block --------------------------------------------------------------------------- */

void pgas_put(pgas_ptr to, const void *from, size_t nbytes);
void pgas_get(void *to, pgas_ptr from, size_t nbytes);
void pgas_put_strict(pgas_ptr to, const void *from, size_t nbytes);
void pgas_get_strict(void *to, pgas_ptr from, size_t nbytes);
/* Starts to fetch `count` pieces of `each` bytes that all belong to one thread: piece i to to[i]. The lists stay as they
   are, and the pieces are there, until and after pgas_fence(). */
void pgas_get_pieces(void *const to[], uint32_t thread, void *const from[], size_t count, size_t each);
/* On return all accesses of this thread are done. */
void pgas_fence(void);
/* For loops that wait for another thread's access. */
void pgas_poll(void);

/* --- together ---------------------------------------------------------------------------------------------------- */

/* All threads that name a barrier (`id` not 0) must give the same name. */
void pgas_notify(int id);
void pgas_wait(int id);
void pgas_barrier(int id);
/* The bytes at `data` of thread `root`, for all. */
void pgas_broadcast(void *data, size_t nbytes, uint32_t root);
/* Everybody's `nbytes` bytes, in the order of threads. */
void pgas_gather_all(void *all, const void *mine, size_t nbytes);
/* Replaces each value by the sum, or the largest, of all threads'; the same everywhere, to the bit. */
void pgas_sum(double *values, size_t count);
void pgas_max(double *values, size_t count);

/* A thread waits for a lock in a queue, and for one lock at a time. */
void pgas_lock(pgas_ptr lock);
int pgas_trylock(pgas_ptr lock); /* 1: it is ours now */
void pgas_unlock(pgas_ptr lock);

#endif
