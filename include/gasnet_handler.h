/* The handler macros of GASNet 1.x; includes gasnet.h. A pointer is passed as two arguments of a message. The macros have
   two counts and two lists of arguments, for 32-bit and for 64-bit pointers; the second ones are used.

       static void ask_inner(gasnet_token_t token, void *addr, size_t nbytes, void *from) { ... }
       MEDIUM_HANDLER(ask, 1, 2, (token, addr, nbytes, UNPACK(a0)), (token, addr, nbytes, UNPACK2(a0, a1)));
       enum { gasneti_handleridx(ask) = 200 };
       gasnet_handlerentry_t table[] = {gasneti_handler_tableentry_with_bits(ask)};
       MEDIUM_REQ(1, 2, (node, gasneti_handleridx(ask), bytes, nbytes, PACK(from)));

   The message's arguments are a0 to a15. Names without a prefix are defined only by this file. */
#ifndef GASNETI_GASNET_HANDLER_H
#define GASNETI_GASNET_HANDLER_H
#include <gasnet.h>

/* A pointer or an integer as two arguments; a pointer from one or two arguments. */
#define PACK(value) \
  GASNETI_NUMBER(gasnet_handlerarg_t, GASNETI_HIWORD(value)), GASNETI_NUMBER(gasnet_handlerarg_t, GASNETI_LOWORD(value))
#define UNPACK(a0) GASNETI_POINTER(void *, GASNETI_NUMBER(uintptr_t, GASNETI_NUMBER(uint32_t, a0)))
#define UNPACK2(a0, a1) GASNETI_POINTER(void *, GASNETI_NUMBER(uintptr_t, GASNETI_MAKEWORD(a0, a1)))

/* The handler NAME, as a function NAME_64 that calls NAME_inner with `innerargs64`. */
#define SHORT_HANDLER_DECL(name, cnt32, cnt64) extern void name##_64(gasnet_token_t token GASNETI_HANDLER_ARGS##cnt64)
#define SHORT_HANDLER(name, cnt32, cnt64, innerargs32, innerargs64) \
  extern void name##_64(gasnet_token_t token GASNETI_HANDLER_ARGS##cnt64) { name##_inner innerargs64; }
#define MEDIUM_HANDLER_DECL(name, cnt32, cnt64) \
  extern void name##_64(gasnet_token_t token, void *addr, size_t nbytes GASNETI_HANDLER_ARGS##cnt64)
#define MEDIUM_HANDLER(name, cnt32, cnt64, innerargs32, innerargs64) \
  extern void name##_64(gasnet_token_t token, void *addr, size_t nbytes GASNETI_HANDLER_ARGS##cnt64) { name##_inner innerargs64; }
#define LONG_HANDLER_DECL(name, cnt32, cnt64) MEDIUM_HANDLER_DECL(name, cnt32, cnt64)
#define LONG_HANDLER(name, cnt32, cnt64, innerargs32, innerargs64) MEDIUM_HANDLER(name, cnt32, cnt64, innerargs32, innerargs64)

/* Messages: `args` is the parenthesised argument list of the function. */
#define SHORT_REQ(cnt32, cnt64, args) gasnet_AMRequestShort##cnt64 args
#define SHORT_REP(cnt32, cnt64, args) gasnet_AMReplyShort##cnt64 args
#define MEDIUM_REQ(cnt32, cnt64, args) gasnet_AMRequestMedium##cnt64 args
#define MEDIUM_REP(cnt32, cnt64, args) gasnet_AMReplyMedium##cnt64 args
#define LONG_REQ(cnt32, cnt64, args) gasnet_AMRequestLong##cnt64 args
#define LONG_REP(cnt32, cnt64, args) gasnet_AMReplyLong##cnt64 args
#define LONGASYNC_REQ(cnt32, cnt64, args) gasnet_AMRequestLongAsync##cnt64 args

/* A handler's index: a constant that the client defines. Its entry in the table: of a handler of the above macros, or of
   one whose arguments hold no pointers, which is a function of that name. */
#define gasneti_handleridx(name) gasneti_handleridx_##name
#define gasneti_handler_tableentry_with_bits(name) {gasneti_handleridx(name), GASNETI_HANDLER_POINTER(name##_64)}
#define gasneti_handler_tableentry_no_bits(name) {gasneti_handleridx(name), GASNETI_HANDLER_POINTER(name)}
#ifdef GASNET_USE_STRICT_PROTOTYPES
#define GASNETI_HANDLER_POINTER(function) GASNETI_FUNCTION(void *, function)
#else
#define GASNETI_HANDLER_POINTER(function) GASNETI_FUNCTION(void (*)(), function)
#endif

#define GASNETI_HANDLER_ARGS0
#define GASNETI_HANDLER_ARGS1 , gasnet_handlerarg_t a0
#define GASNETI_HANDLER_ARGS2 GASNETI_HANDLER_ARGS1, gasnet_handlerarg_t a1
#define GASNETI_HANDLER_ARGS3 GASNETI_HANDLER_ARGS2, gasnet_handlerarg_t a2
#define GASNETI_HANDLER_ARGS4 GASNETI_HANDLER_ARGS3, gasnet_handlerarg_t a3
#define GASNETI_HANDLER_ARGS5 GASNETI_HANDLER_ARGS4, gasnet_handlerarg_t a4
#define GASNETI_HANDLER_ARGS6 GASNETI_HANDLER_ARGS5, gasnet_handlerarg_t a5
#define GASNETI_HANDLER_ARGS7 GASNETI_HANDLER_ARGS6, gasnet_handlerarg_t a6
#define GASNETI_HANDLER_ARGS8 GASNETI_HANDLER_ARGS7, gasnet_handlerarg_t a7
#define GASNETI_HANDLER_ARGS9 GASNETI_HANDLER_ARGS8, gasnet_handlerarg_t a8
#define GASNETI_HANDLER_ARGS10 GASNETI_HANDLER_ARGS9, gasnet_handlerarg_t a9
#define GASNETI_HANDLER_ARGS11 GASNETI_HANDLER_ARGS10, gasnet_handlerarg_t a10
#define GASNETI_HANDLER_ARGS12 GASNETI_HANDLER_ARGS11, gasnet_handlerarg_t a11
#define GASNETI_HANDLER_ARGS13 GASNETI_HANDLER_ARGS12, gasnet_handlerarg_t a12
#define GASNETI_HANDLER_ARGS14 GASNETI_HANDLER_ARGS13, gasnet_handlerarg_t a13
#define GASNETI_HANDLER_ARGS15 GASNETI_HANDLER_ARGS14, gasnet_handlerarg_t a14
#define GASNETI_HANDLER_ARGS16 GASNETI_HANDLER_ARGS15, gasnet_handlerarg_t a15

#endif
