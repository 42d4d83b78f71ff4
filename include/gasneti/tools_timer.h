/* Timers. A tick is a step of the processor's time-stamp counter (x86-64, aarch64, riscv64), read inline; where that counter
   does not run at one rate, or there is none, a nanosecond, read by the library. The first conversion of ticks measures how long a tick is. */
#ifndef GASNETI_TOOLS_TIMER_H
#define GASNETI_TOOLS_TIMER_H

typedef uint64_t gasnett_tick_t;
#define GASNETT_TICK_MIN UINT64_C(0)
#define GASNETT_TICK_MAX UINT64_MAX

/* The properties of ticks that the library has measured; only these inlines and the library read them. */
typedef struct {
  uint64_t rate;   /* nanoseconds in a tick, times 2^52; 0: not known yet */
  uint32_t source; /* 1: the time-stamp counter; else ask the library */
  uint32_t unused;
} gasneti_clock_t;
GASNETT_EXTERNC gasneti_clock_t gasneti_clock;

#if defined(__GNUC__) && !defined(GASNETI_NO_INLINE) && \
    (defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64))

__extension__ typedef unsigned __int128 gasneti_uint128_t;

GASNETI_INLINE uint64_t gasneti_counter(void) {
#if defined(__x86_64__)
  uint32_t low, high;
  __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
  return GASNETI_NUMBER(uint64_t, high) << 32 | low;
#else
  uint64_t ticks;
#if defined(__aarch64__)
  __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
#else
  __asm__ __volatile__("rdtime %0" : "=r"(ticks));
#endif
  return ticks;
#endif
}

GASNETI_INLINE gasnett_tick_t gasneti_fast_ticks_now(void) {
  if (GASNETT_PREDICT_TRUE(__atomic_load_n(&gasneti_clock.source, __ATOMIC_RELAXED) == 1)) {
    return gasneti_counter();
  }
  return gasnett_ticks_now();
}
GASNETI_INLINE uint64_t gasneti_fast_ticks_to_ns(gasnett_tick_t ticks) {
  uint64_t rate = __atomic_load_n(&gasneti_clock.rate, __ATOMIC_RELAXED);
  if (GASNETT_PREDICT_FALSE(rate == 0)) return gasnett_ticks_to_ns(ticks);
  return GASNETI_NUMBER(uint64_t, GASNETI_NUMBER(gasneti_uint128_t, ticks) * rate >> 52);
}
#define gasnett_ticks_now() gasneti_fast_ticks_now()
#define gasnett_ticks_to_ns(ticks) gasneti_fast_ticks_to_ns(ticks)
#define gasnett_ticks_to_us(ticks) (gasneti_fast_ticks_to_ns(ticks) / 1000)

#endif
#endif
