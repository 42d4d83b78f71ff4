/* Memory barriers between the threads of a process, and the spin-loop hint. x86-64 keeps loads in order, stores in
   order, and stores after earlier loads; so there the read and the write barrier only stop the compiler, and the full
   barrier, which also keeps later loads after earlier stores, is one instruction. Other processors do not: there each
   barrier is an instruction. */
#ifndef GASNETI_TOOLS_MEMBAR_H
#define GASNETI_TOOLS_MEMBAR_H

#if defined(__GNUC__) && !defined(GASNETI_NO_INLINE)

GASNETI_INLINE void gasneti_fast_compiler_fence(void) { __asm__ __volatile__("" : : : "memory"); }
GASNETI_INLINE void gasneti_fast_local_wmb(void) {
  gasneti_fast_compiler_fence();
  __atomic_thread_fence(__ATOMIC_RELEASE);
}
GASNETI_INLINE void gasneti_fast_local_rmb(void) {
  gasneti_fast_compiler_fence();
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}
GASNETI_INLINE void gasneti_fast_local_mb(void) {
  gasneti_fast_compiler_fence();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
GASNETI_INLINE void gasneti_fast_spinloop_hint(void) {
#if defined(__x86_64__)
  __asm__ __volatile__("pause" : : : "memory");
#elif defined(__aarch64__)
  /* `yield` is without effect on most processors; this one lasts as long as `pause`. */
  __asm__ __volatile__("isb" : : : "memory");
#elif defined(__riscv)
  /* `pause`, which is a hint on every processor, for assemblers that do not know it. */
  __asm__ __volatile__(".4byte 0x0100000f" : : : "memory");
#elif defined(__powerpc64__)
  __asm__ __volatile__("or 27,27,27" : : : "memory");
#else
  gasneti_fast_compiler_fence();
#endif
}

#define gasnett_compiler_fence() gasneti_fast_compiler_fence()
#define gasnett_local_wmb() gasneti_fast_local_wmb()
#define gasnett_local_rmb() gasneti_fast_local_rmb()
#define gasnett_local_mb() gasneti_fast_local_mb()
#define gasnett_spinloop_hint() gasneti_fast_spinloop_hint()

#endif

/* The weak barriers are needed only where there are threads. */
#if GASNETI_THREADS
#define gasnett_weak_wmb() gasnett_local_wmb()
#define gasnett_weak_rmb() gasnett_local_rmb()
#define gasnett_weak_mb() gasnett_local_mb()
#else
#define gasnett_weak_wmb() ((void)0)
#define gasnett_weak_rmb() ((void)0)
#define gasnett_weak_mb() ((void)0)
#endif

#endif
