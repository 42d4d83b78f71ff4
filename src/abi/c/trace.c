/* Tracing's share of C: functions with a variable number of arguments, which format and then call Rust. */
#include <stdarg.h>
#include <stdio.h>

/* abi/tools_trace.rs */
int gasneti_trace_enabled(void);
void gasneti_trace_text(const char *text, int to_stats, int force);
int gasneti_stats_at_report(void (*call)(void));

static void say(const char *format, va_list arguments, int to_stats, int force) {
  char text[4096];
  vsnprintf(text, sizeof text, format, arguments);
  gasneti_trace_text(text, to_stats, force);
}

#define SAYS(name, to_stats, force)                                      \
  __attribute__((format(printf, 1, 2))) void name(const char *format, ...) { \
    va_list arguments;                                                   \
    va_start(arguments, format);                                         \
    say(format, arguments, to_stats, force);                             \
    va_end(arguments);                                                   \
  }

__attribute__((format(printf, 1, 2))) void gasneti_trace_printf(const char *format, ...) {
  va_list arguments;
  if (!gasneti_trace_enabled()) return;
  va_start(arguments, format);
  say(format, arguments, 0, 0);
  va_end(arguments);
}
SAYS(gasneti_trace_printf_force, 0, 1)
SAYS(gasneti_stats_printf, 1, 0)
SAYS(gasneti_stats_printf_force, 1, 1)

static void (*at_report)(void (*print)(const char *format, ...));
static void ask(void) { at_report(gasneti_stats_printf_force); }

int gasneti_stats_init(void (*callback)(void (*print)(const char *format, ...))) {
  if (!callback) return 0;
  at_report = callback;
  return gasneti_stats_at_report(ask);
}
