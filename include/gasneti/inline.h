/* The inline fast paths of put, get, value, memset and handle tests, over the symbols of the same names.
   They read gasneti_hot and gasneti_bias and nothing else; each falls back to its symbol and must agree with it.
   Included by gasnet.h after gasnetex.h. -DGASNETI_NO_INLINE leaves only the symbols, and so do
   -DGASNET_DEBUG clients, whose every call goes to its symbol. */
#ifndef GASNETI_INLINE_H
#define GASNETI_INLINE_H

#include <stddef.h>
#include <stdint.h>

/* An operation that is already complete. */
#define GASNET_INVALID_HANDLE GASNETI_NULL(gasnet_handle_t)

#if !defined(GASNETI_SRCLINES) && !defined(GASNETI_NO_INLINE)

/* Whether `node`'s segment is mapped here; then `*here` is the address of `there`. A node outside the job uses the symbol, unless its low 16 bits
   are those of a node that is mapped here: it is taken for that one. */
GASNETI_FAST int gasneti_map(gasnet_node_t node, const void *there, void **here) {
  intptr_t bias = gasneti_bias[node & 0xffff];
  if (__builtin_expect(GASNETI_NUMBER(int, bias == 0), 0)) return 0;
  *here = GASNETI_HERE(there, bias);
  return 1;
}

/* Casts const away: the public prototypes do not have it. */
GASNETI_FAST void *gasneti_plain(const void *at) { return GASNETI_POINTER(void *, GASNETI_ADDRESS(at)); }

/* ---- put and get */

GASNETI_FAST void gasneti_fast_put(gasnet_node_t node, void *dest, const void *src, size_t nbytes) {
  void *here;
  if (gasneti_map(node, dest, &here)) gasneti_copy_out(here, src, nbytes);
  else (gasnet_put)(node, dest, gasneti_plain(src), nbytes);
}

GASNETI_FAST void gasneti_fast_put_bulk(gasnet_node_t node, void *dest, const void *src, size_t nbytes) {
  void *here;
  if (gasneti_map(node, dest, &here)) gasneti_copy_out(here, src, nbytes);
  else (gasnet_put_bulk)(node, dest, gasneti_plain(src), nbytes);
}

GASNETI_FAST void gasneti_fast_get(void *dest, gasnet_node_t node, const void *src, size_t nbytes) {
  void *here;
  if (gasneti_map(node, src, &here)) gasneti_copy_in(dest, here, nbytes);
  else (gasnet_get)(dest, node, gasneti_plain(src), nbytes);
}

GASNETI_FAST void gasneti_fast_get_bulk(void *dest, gasnet_node_t node, const void *src, size_t nbytes) {
  void *here;
  if (gasneti_map(node, src, &here)) gasneti_copy_in(dest, here, nbytes);
  else (gasnet_get_bulk)(dest, node, gasneti_plain(src), nbytes);
}

GASNETI_FAST gasnet_handle_t gasneti_fast_put_nb(gasnet_node_t node, void *dest, const void *src, size_t nbytes) {
  void *here;
  if (!gasneti_map(node, dest, &here)) return (gasnet_put_nb)(node, dest, gasneti_plain(src), nbytes);
  gasneti_copy_out(here, src, nbytes);
  return GASNETI_NULL(gasnet_handle_t);
}

GASNETI_FAST gasnet_handle_t gasneti_fast_put_nb_bulk(gasnet_node_t node, void *dest, const void *src, size_t nbytes) {
  void *here;
  if (!gasneti_map(node, dest, &here)) return (gasnet_put_nb_bulk)(node, dest, gasneti_plain(src), nbytes);
  gasneti_copy_out(here, src, nbytes);
  return GASNETI_NULL(gasnet_handle_t);
}

GASNETI_FAST gasnet_handle_t gasneti_fast_get_nb(void *dest, gasnet_node_t node, const void *src, size_t nbytes) {
  void *here;
  if (!gasneti_map(node, src, &here)) return (gasnet_get_nb)(dest, node, gasneti_plain(src), nbytes);
  gasneti_copy_in(dest, here, nbytes);
  return GASNETI_NULL(gasnet_handle_t);
}

GASNETI_FAST gasnet_handle_t gasneti_fast_get_nb_bulk(void *dest, gasnet_node_t node, const void *src, size_t nbytes) {
  void *here;
  if (!gasneti_map(node, src, &here)) return (gasnet_get_nb_bulk)(dest, node, gasneti_plain(src), nbytes);
  gasneti_copy_in(dest, here, nbytes);
  return GASNETI_NULL(gasnet_handle_t);
}

GASNETI_FAST void gasneti_fast_put_nbi(gasnet_node_t node, void *dest, const void *src, size_t nbytes) {
  void *here;
  if (gasneti_map(node, dest, &here)) gasneti_copy_out(here, src, nbytes);
  else (gasnet_put_nbi)(node, dest, gasneti_plain(src), nbytes);
}

GASNETI_FAST void gasneti_fast_put_nbi_bulk(gasnet_node_t node, void *dest, const void *src, size_t nbytes) {
  void *here;
  if (gasneti_map(node, dest, &here)) gasneti_copy_out(here, src, nbytes);
  else (gasnet_put_nbi_bulk)(node, dest, gasneti_plain(src), nbytes);
}

GASNETI_FAST void gasneti_fast_get_nbi(void *dest, gasnet_node_t node, const void *src, size_t nbytes) {
  void *here;
  if (gasneti_map(node, src, &here)) gasneti_copy_in(dest, here, nbytes);
  else (gasnet_get_nbi)(dest, node, gasneti_plain(src), nbytes);
}

GASNETI_FAST void gasneti_fast_get_nbi_bulk(void *dest, gasnet_node_t node, const void *src, size_t nbytes) {
  void *here;
  if (gasneti_map(node, src, &here)) gasneti_copy_in(dest, here, nbytes);
  else (gasnet_get_nbi_bulk)(dest, node, gasneti_plain(src), nbytes);
}

/* ---- memset */

GASNETI_FAST void gasneti_set_out(void *here, int val, size_t nbytes) {
  if (!__builtin_constant_p(nbytes)) (void)gasneti_memset(here, val, nbytes);
  else if (nbytes) __builtin_memset(here, val, nbytes);
  gasneti_release();
}

GASNETI_FAST void gasneti_fast_memset(gasnet_node_t node, void *dest, int val, size_t nbytes) {
  void *here;
  if (gasneti_map(node, dest, &here)) gasneti_set_out(here, val, nbytes);
  else (gasnet_memset)(node, dest, val, nbytes);
}

GASNETI_FAST gasnet_handle_t gasneti_fast_memset_nb(gasnet_node_t node, void *dest, int val, size_t nbytes) {
  void *here;
  if (!gasneti_map(node, dest, &here)) return (gasnet_memset_nb)(node, dest, val, nbytes);
  gasneti_set_out(here, val, nbytes);
  return GASNETI_NULL(gasnet_handle_t);
}

GASNETI_FAST void gasneti_fast_memset_nbi(gasnet_node_t node, void *dest, int val, size_t nbytes) {
  void *here;
  if (gasneti_map(node, dest, &here)) gasneti_set_out(here, val, nbytes);
  else (gasnet_memset_nbi)(node, dest, val, nbytes);
}

/* ---- register values */

GASNETI_FAST void gasneti_fast_put_val(gasnet_node_t node, void *dest, gasnet_register_value_t value, size_t nbytes) {
  void *here;
  if (gasneti_map(node, dest, &here)) gasneti_store(here, value, nbytes);
  else (gasnet_put_val)(node, dest, value, nbytes);
}

GASNETI_FAST gasnet_handle_t gasneti_fast_put_nb_val(gasnet_node_t node, void *dest, gasnet_register_value_t value,
                                                     size_t nbytes) {
  void *here;
  if (!gasneti_map(node, dest, &here)) return (gasnet_put_nb_val)(node, dest, value, nbytes);
  gasneti_store(here, value, nbytes);
  return GASNETI_NULL(gasnet_handle_t);
}

GASNETI_FAST void gasneti_fast_put_nbi_val(gasnet_node_t node, void *dest, gasnet_register_value_t value,
                                           size_t nbytes) {
  void *here;
  if (gasneti_map(node, dest, &here)) gasneti_store(here, value, nbytes);
  else (gasnet_put_nbi_val)(node, dest, value, nbytes);
}

GASNETI_FAST gasnet_register_value_t gasneti_fast_get_val(gasnet_node_t node, const void *src, size_t nbytes) {
  void *here;
  if (gasneti_map(node, src, &here)) return gasneti_load(here, nbytes);
  return (gasnet_get_val)(node, gasneti_plain(src), nbytes);
}

/* A value whose top bit is clear is stored in its handle, shifted left, with the lowest bit set. */
GASNETI_FAST gasnet_valget_handle_t gasneti_fast_get_nb_val(gasnet_node_t node, const void *src, size_t nbytes) {
  void *here;
  if (gasneti_map(node, src, &here)) {
    gasnet_register_value_t value = gasneti_load(here, nbytes);
    if (!(value >> 63)) return GASNETI_POINTER(gasnet_valget_handle_t, value << 1 | 1);
  }
  return (gasnet_get_nb_val)(node, gasneti_plain(src), nbytes);
}

GASNETI_FAST gasnet_register_value_t gasneti_fast_wait_syncnb_valget(gasnet_valget_handle_t handle) {
  if (GASNETI_ADDRESS(handle) & 1) return GASNETI_NUMBER(gasnet_register_value_t, GASNETI_ADDRESS(handle) >> 1);
  return (gasnet_wait_syncnb_valget)(handle);
}

/* ---- handles: GASNET_INVALID_HANDLE counts as complete */

GASNETI_FAST void gasneti_fast_wait_syncnb(gasnet_handle_t handle) {
  if (handle) (gasnet_wait_syncnb)(handle);
}

GASNETI_FAST void gasneti_fast_wait_syncnb_all(gasnet_handle_t *handles, size_t numhandles) {
  if (gasneti_hot.debug || gasneti_pending(handles, numhandles)) (gasnet_wait_syncnb_all)(handles, numhandles);
}

GASNETI_FAST int gasneti_fast_try_syncnb(gasnet_handle_t handle) {
  return handle ? (gasnet_try_syncnb)(handle) : 0;
}

GASNETI_FAST int gasneti_fast_try_syncnb_nopoll(gasnet_handle_t handle) {
  return handle ? (gasnet_try_syncnb_nopoll)(handle) : 0;
}

/* If all ranks' segments are mapped here, no implicit operation is ever incomplete. */
GASNETI_FAST void gasneti_fast_wait_syncnbi_puts(void) {
  if (!gasneti_hot.all_direct) (gasnet_wait_syncnbi_puts)();
}

GASNETI_FAST void gasneti_fast_wait_syncnbi_gets(void) {
  if (!gasneti_hot.all_direct) (gasnet_wait_syncnbi_gets)();
}

GASNETI_FAST void gasneti_fast_wait_syncnbi_all(void) {
  if (!gasneti_hot.all_direct) (gasnet_wait_syncnbi_all)();
}

#define gasnet_put(...) gasneti_fast_put(__VA_ARGS__)
#define gasnet_get(...) gasneti_fast_get(__VA_ARGS__)
#define gasnet_put_bulk(...) gasneti_fast_put_bulk(__VA_ARGS__)
#define gasnet_get_bulk(...) gasneti_fast_get_bulk(__VA_ARGS__)
#define gasnet_put_nb(...) gasneti_fast_put_nb(__VA_ARGS__)
#define gasnet_get_nb(...) gasneti_fast_get_nb(__VA_ARGS__)
#define gasnet_put_nb_bulk(...) gasneti_fast_put_nb_bulk(__VA_ARGS__)
#define gasnet_get_nb_bulk(...) gasneti_fast_get_nb_bulk(__VA_ARGS__)
#define gasnet_put_nbi(...) gasneti_fast_put_nbi(__VA_ARGS__)
#define gasnet_get_nbi(...) gasneti_fast_get_nbi(__VA_ARGS__)
#define gasnet_put_nbi_bulk(...) gasneti_fast_put_nbi_bulk(__VA_ARGS__)
#define gasnet_get_nbi_bulk(...) gasneti_fast_get_nbi_bulk(__VA_ARGS__)
#define gasnet_memset(...) gasneti_fast_memset(__VA_ARGS__)
#define gasnet_memset_nb(...) gasneti_fast_memset_nb(__VA_ARGS__)
#define gasnet_memset_nbi(...) gasneti_fast_memset_nbi(__VA_ARGS__)
#define gasnet_put_val(...) gasneti_fast_put_val(__VA_ARGS__)
#define gasnet_put_nb_val(...) gasneti_fast_put_nb_val(__VA_ARGS__)
#define gasnet_put_nbi_val(...) gasneti_fast_put_nbi_val(__VA_ARGS__)
#define gasnet_get_val(...) gasneti_fast_get_val(__VA_ARGS__)
#define gasnet_get_nb_val(...) gasneti_fast_get_nb_val(__VA_ARGS__)
#define gasnet_wait_syncnb_valget(...) gasneti_fast_wait_syncnb_valget(__VA_ARGS__)
#define gasnet_wait_syncnb(...) gasneti_fast_wait_syncnb(__VA_ARGS__)
#define gasnet_wait_syncnb_all(...) gasneti_fast_wait_syncnb_all(__VA_ARGS__)
#define gasnet_try_syncnb(...) gasneti_fast_try_syncnb(__VA_ARGS__)
#define gasnet_try_syncnb_nopoll(...) gasneti_fast_try_syncnb_nopoll(__VA_ARGS__)
#define gasnet_wait_syncnbi_puts() gasneti_fast_wait_syncnbi_puts()
#define gasnet_wait_syncnbi_gets() gasneti_fast_wait_syncnbi_gets()
#define gasnet_wait_syncnbi_all() gasneti_fast_wait_syncnbi_all()

#endif

#endif
