/* The functions that the shim over UCX offers to libgasnet. The shim is compiled with the headers of UCX 1.10 or later and serves all
 * versions of its library from 1.10 on: it uses only interfaces that those have. The library (src/shims/ucx.rs declares the same table)
 * opens it when a job runs on conduit ucx. A change of this file changes GASNETI_UCX_SHIM_VERSION.
 *
 * One thread at a time calls functions of one port. No function waits for other ranks. Results below 0 are errors of UCX
 * (`ucs_status_t`). Functions that start an operation return GASNETI_UCX_DONE if it is complete, or GASNETI_UCX_STARTED: then a later
 * `progress` reports an event with its tag, and its buffers stay where they are until then. */
#ifndef GASNETI_UCX_SHIM_H
#define GASNETI_UCX_SHIM_H

#include <stddef.h>
#include <stdint.h>

#define GASNETI_UCX_SHIM_VERSION 3

enum { GASNETI_UCX_STARTED = 0, GASNETI_UCX_DONE = 1 };

/* Events. */
enum {
  /* An operation of this rank has ended: `tag`, `status` (0: complete). */
  GASNETI_UCX_ENDED,
  /* A message: its header and its bytes, until the next `progress`. */
  GASNETI_UCX_MESSAGE,
  /* The same, but its bytes stay until `release`. */
  GASNETI_UCX_HELD,
  /* A message whose `bytes` bytes are to be received with `receive`, or declined with `release`; its header, until the next
   * `progress`. */
  GASNETI_UCX_BULK,
  /* The connection to the peer `tag` has failed: `status`. */
  GASNETI_UCX_FAILED
};

struct gasneti_ucx_event {
  uint64_t tag;
  void *data;
  size_t bytes;
  const void *header;
  uint32_t header_bytes;
  uint16_t what;
  /* Of `data`, for `release`. */
  uint16_t owner;
  int32_t status;
};

/* How a port is opened. */
struct gasneti_ucx_options {
  /* Peers, on all hosts and on this one. */
  uint32_t peers, peers_here;
  /* A descriptor announces arrivals. */
  int32_t wakes;
  /* Memory for what arrives, at multiples of 16; NULL: there is none. It is given back with the same `bytes`. */
  void *(*memory)(size_t bytes);
  void (*give_back)(void *memory, size_t bytes);
};

enum { GASNETI_UCX_ADD, GASNETI_UCX_SWAP, GASNETI_UCX_COMPARE_SWAP, GASNETI_UCX_AND, GASNETI_UCX_OR, GASNETI_UCX_XOR };

typedef struct gasneti_ucx_port gasneti_ucx_port;
typedef struct gasneti_ucx_peer gasneti_ucx_peer;
/* `ucp_rkey_h` and `ucp_mem_h`. */
typedef void gasneti_ucx_key;
typedef void gasneti_ucx_memory;

/* Takes a short message without header inside `progress`, without an event; its bytes do not stay. 0: it becomes an event. It calls no
 * function of the port. */
typedef int gasneti_ucx_take(void *taker, const void *data, size_t bytes);

struct gasneti_ucx_shim {
  uint32_t version;
  uint32_t bytes;
  /* Of the headers that the shim was compiled with. */
  uint32_t headers_major, headers_minor;

  /* Of the library that is loaded; "1.13.1". */
  const char *(*library_version)(void);
  const char *(*error_text)(int status);

  /* A context and a worker. `stage`: the call that has failed. */
  int (*open)(const struct gasneti_ucx_options *options, gasneti_ucx_port **port, const char **stage);
  /* The bytes with which peers connect; they stay. */
  int (*address)(gasneti_ucx_port *port, const void **at, size_t *bytes);
  /* The longest header of a message. */
  size_t (*longest_header)(gasneti_ucx_port *port);
  /* The descriptor, or -1. */
  int (*descriptor)(gasneti_ucx_port *port);
  /* 1: the descriptor will announce what arrives from now on; 0: something has arrived. */
  int (*arm)(gasneti_ucx_port *port);
  /* Connects to a peer; failures are reported with `tag`. `detects`: UCX is to detect them (its error handling mode PEER). */
  int (*connect)(gasneti_ucx_port *port, const void *address, uint64_t tag, int detects, gasneti_ucx_peer **peer);
  /* Cancels all operations on the peer, which has died. With `detects` only. */
  void (*drop)(gasneti_ucx_peer *peer);
  /* What UCX prints of the connection to the peer, or of the port if it is NULL; to be freed by `free_text`. */
  char *(*describe)(gasneti_ucx_port *port, gasneti_ucx_peer *peer);
  void (*free_text)(char *text);

  /* The events since the last call; they stay until the next. `take`: NULL, or the function that the first of short messages goes to. */
  size_t (*progress)(gasneti_ucx_port *port, gasneti_ucx_take *take, void *taker, const struct gasneti_ucx_event **events);
  void (*release)(gasneti_ucx_port *port, void *data, int owner);
  /* Sends a message; both parts may be empty. */
  int (*send)(gasneti_ucx_peer *peer, const void *header, size_t header_bytes, const void *data, size_t bytes, uint64_t tag);
  /* Receives the bytes of a BULK message. */
  int (*receive)(gasneti_ucx_port *port, void *bulk, void *buffer, size_t bytes, uint64_t tag);

  int (*map)(gasneti_ucx_port *port, void *start, size_t bytes, gasneti_ucx_memory **memory);
  void (*unmap)(gasneti_ucx_port *port, gasneti_ucx_memory *memory);
  /* Writes the key with which peers access it; returns its length, which may be more than `most`. */
  int (*pack)(gasneti_ucx_port *port, gasneti_ucx_memory *memory, void *key, size_t most);
  int (*unpack)(gasneti_ucx_peer *peer, const void *packed, gasneti_ucx_key **key);
  void (*forget)(gasneti_ucx_key *key);
  /* Ended: the source may be reused. `only_now`: it is not started where it would not be complete at once
   * (UCS_ERR_NO_RESOURCE). */
  int (*put)(gasneti_ucx_peer *peer, const void *src, size_t bytes, uint64_t dst, gasneti_ucx_key *key, int only_now, uint64_t tag);
  int (*get)(gasneti_ucx_peer *peer, void *dst, size_t bytes, uint64_t src, gasneti_ucx_key *key, uint64_t tag);
  /* On a number of 4 or 8 bytes. `words`: the operand, or the expected value; then the value that replaces it. The second gets the
   * previous value. */
  int (*atomic)(gasneti_ucx_peer *peer, int op, int bytes, uint64_t at, gasneti_ucx_key *key, uint64_t *words, uint64_t tag);
  /* Ended: all puts to the peer so far are complete there. */
  int (*flush)(gasneti_ucx_peer *peer, uint64_t tag);
};

/* The one symbol of a shim. */
const struct gasneti_ucx_shim *gasneti_ucx_shim(void);

#endif
