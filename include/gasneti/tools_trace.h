/* Tracing and statistics controlled by the client. This library collects neither yet: masks are empty, nothing is
   printed, and formats are still checked against their arguments. */
#ifndef GASNETI_TOOLS_TRACE_H
#define GASNETI_TOOLS_TRACE_H

GASNETT_FORMAT_PRINTF(gasneti_trace_nothing, 1, 2,
                      static GASNETI_INLINE_KEYWORD void gasneti_trace_nothing(const char *format, ...)) {
  (void)format;
}
GASNETI_INLINE void gasneti_trace_nowhere(const char **pfile, unsigned *pline) {
  *pfile = "";
  *pline = 0;
}

#define GASNETT_TRACE_ENABLED 0
#define GASNETT_TRACE_PRINTF gasneti_trace_nothing
#define GASNETT_TRACE_PRINTF_FORCE gasneti_trace_nothing
#define GASNETT_TRACE_GETMASK() ""
#define GASNETT_TRACE_SETMASK(newmask) ((void)(newmask))
#define GASNETT_TRACE_GET_TRACELOCAL() (0)
#define GASNETT_TRACE_SET_TRACELOCAL(newval) ((void)(newval))
#define GASNETT_TRACE_SETSOURCELINE(file, line) ((void)(file), (void)(line))
#define GASNETT_TRACE_GETSOURCELINE(pfile, pline) gasneti_trace_nowhere(pfile, pline)
#define GASNETT_TRACE_FREEZESOURCELINE() ((void)0)
#define GASNETT_TRACE_UNFREEZESOURCELINE() ((void)0)

#define GASNETT_STATS_INIT(callbackfn) ((void)(callbackfn), 0)
#define GASNETT_STATS_PRINTF gasneti_trace_nothing
#define GASNETT_STATS_PRINTF_FORCE gasneti_trace_nothing
#define GASNETT_STATS_GETMASK() ""
#define GASNETT_STATS_SETMASK(newmask) ((void)(newmask))
#define GASNETT_STATS_DUMP(reset) ((void)(reset))

#endif
