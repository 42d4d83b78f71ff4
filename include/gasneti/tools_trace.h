/* Tracing and statistics controlled by the client. They are in every library, and off unless the user names a file:
   GASNET_TRACEFILE, GASNET_STATSFILE. In a program without a job, masks are empty and nothing is printed. */
#ifndef GASNETI_TOOLS_TRACE_H
#define GASNETI_TOOLS_TRACE_H

#ifdef __cplusplus
extern "C" {
#endif
/* Writes a line, as printf formats it, to the trace if category H is traced. */
GASNETT_FORMAT_PRINTF(gasneti_trace_printf, 1, 2, void gasneti_trace_printf(const char *format, ...));
/* The same regardless of the categories, if there is a trace. */
GASNETT_FORMAT_PRINTF(gasneti_trace_printf_force, 1, 2, void gasneti_trace_printf_force(const char *format, ...));
/* Writes a line, as printf formats it, to the file of statistics if category H is in them. */
GASNETT_FORMAT_PRINTF(gasneti_stats_printf, 1, 2, void gasneti_stats_printf(const char *format, ...));
/* The same regardless of the categories, if there are statistics. */
GASNETT_FORMAT_PRINTF(gasneti_stats_printf_force, 1, 2, void gasneti_stats_printf_force(const char *format, ...));
/* Has 'callback' called when this process reports its statistics, with a function that prints there. Returns whether it
   reports any. */
int gasneti_stats_init(void (*callback)(void (*print)(const char *format, ...)));
#ifdef __cplusplus
}
#endif

#define GASNETT_TRACE_ENABLED gasneti_trace_enabled()
#define GASNETT_TRACE_PRINTF gasneti_trace_printf
#define GASNETT_TRACE_PRINTF_FORCE gasneti_trace_printf_force
#define GASNETT_TRACE_GETMASK() gasneti_trace_getmask()
#define GASNETT_TRACE_SETMASK(newmask) gasneti_trace_setmask(newmask)
#define GASNETT_TRACE_GET_TRACELOCAL() gasneti_trace_getlocal()
#define GASNETT_TRACE_SET_TRACELOCAL(newval) gasneti_trace_setlocal(newval)
#define GASNETT_TRACE_SETSOURCELINE(file, line) gasneti_at(file, line)
#define GASNETT_TRACE_GETSOURCELINE(pfile, pline) gasneti_source_get(pfile, pline)
#define GASNETT_TRACE_FREEZESOURCELINE() gasneti_source_freeze()
#define GASNETT_TRACE_UNFREEZESOURCELINE() gasneti_source_unfreeze()

#define GASNETT_STATS_INIT(callbackfn) gasneti_stats_init(callbackfn)
#define GASNETT_STATS_PRINTF gasneti_stats_printf
#define GASNETT_STATS_PRINTF_FORCE gasneti_stats_printf_force
#define GASNETT_STATS_GETMASK() gasneti_stats_getmask()
#define GASNETT_STATS_SETMASK(newmask) gasneti_stats_setmask(newmask)
#define GASNETT_STATS_DUMP(reset) gasneti_stats_dump(reset)

#endif
