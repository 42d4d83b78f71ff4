/* The functions that a shim over libfabric offers to libgasnet. The library (src/shims/ofi.rs declares the same table) opens the shim
 * when a job runs on conduit ofi. A change of this file changes GASNETI_OFI_SHIM_VERSION.
 *
 * A function returns a result of 0 or more, or the negative of an error code of libfabric. One thread at a time uses a port. No function
 * waits. Objects of libfabric are words, so that no type of its headers is named here. */
#ifndef GASNETI_OFI_SHIM_H
#define GASNETI_OFI_SHIM_H

#include <stddef.h>
#include <stdint.h>

#define GASNETI_OFI_SHIM_VERSION 2

/* Capabilities of a provider. */
enum {
  GASNETI_OFI_MSG = 1 << 0,
  /* Reads and writes, of both sides. */
  GASNETI_OFI_RMA = 1 << 1,
  GASNETI_OFI_ATOMIC = 1 << 2,
  GASNETI_OFI_MULTI_RECV = 1 << 3,
  /* Endpoints of type RDM. */
  GASNETI_OFI_RDM = 1 << 4,
  /* It works with the modes that we can serve. */
  GASNETI_OFI_MODES = 1 << 5,
  /* Its demands on registration are those that we know. */
  GASNETI_OFI_MR_KNOWN = 1 << 6,
  GASNETI_OFI_DELIVERY = 1 << 7,
  GASNETI_OFI_COLLECTIVE = 1 << 8,
  /* Its addresses are socket addresses. */
  GASNETI_OFI_SOCKADDR = 1 << 9
};

/* Demands on registration of memory. */
enum {
  GASNETI_OFI_MR_LOCAL = 1 << 0,
  GASNETI_OFI_MR_ENDPOINT = 1 << 1,
  GASNETI_OFI_MR_PROV_KEY = 1 << 2,
  GASNETI_OFI_MR_VIRT_ADDR = 1 << 3,
  GASNETI_OFI_MR_ALLOCATED = 1 << 4,
  GASNETI_OFI_MR_RAW = 1 << 5,
  GASNETI_OFI_MR_MMU_NOTIFY = 1 << 6,
  GASNETI_OFI_MR_HMEM = 1 << 7,
  GASNETI_OFI_MR_OTHER = 1 << 8
};

/* A provider with one of its domains, as libfabric offers it. */
struct gasneti_ofi_offer {
  char provider[64], fabric[64], domain[64];
  /* Of its endpoints, as text. */
  char address[128];
  /* The IP address in it: 4 or 16 bytes; 0: none. */
  uint8_t ip[16];
  uint32_t ip_bytes;
  uint32_t caps, mr_mode;
  uint64_t inject, max_message;
  uint32_t tx_size, rx_size, key_size, has_auto_progress;
};

/* What is asked of libfabric. */
struct gasneti_ofi_wish {
  /* The provider's name; NULL: any. */
  const char *provider;
  /* The names of its fabric and domain; NULL: any. */
  const char *fabric, *domain;
  /* The IP address of its endpoints, `ip_bytes` bytes; 0: any. */
  const uint8_t *ip;
  uint32_t ip_bytes;
  /* Ask for the registration that InfiniBand demands, FI_MR_BASIC. */
  int32_t basic;
  /* Open only: with atomics; with receives for many messages, which end when fewer bytes than this are left in them, 0: without; with a descriptor
     that wakes. */
  int32_t atomics, multi_recv, wakes;
};

typedef struct gasneti_ofi_port gasneti_ofi_port;

/* Of an open port. */
struct gasneti_ofi_facts {
  struct gasneti_ofi_offer offer;
  /* The address that peers need. */
  uint8_t address[256];
  uint32_t address_bytes;
  /* Readable when there may be completions; -1: there is none. */
  int32_t wake;
};

/* A registration. */
struct gasneti_ofi_memory {
  uint64_t object;
  /* What transfers name as `descriptor`. */
  uint64_t descriptor;
  /* The key for peers: of 8 bytes, or raw. */
  uint8_t key[192];
  uint32_t key_bytes;
  /* What an address has subtracted where peers name it: 0, or the start of the memory. */
  uint64_t base;
};

struct gasneti_ofi_completion {
  /* Of the operation; a receive for many messages is named by each. */
  uint64_t context;
  /* Received bytes. */
  uint64_t bytes;
  uint64_t buffer;
  /* 0, or the error. */
  int32_t error;
  /* A message has arrived; the receive is over. */
  uint16_t is_message, is_released;
};

/* Access to registered memory; a local source may be memory that is only readable. */
enum { GASNETI_OFI_REMOTE_READ = 1, GASNETI_OFI_REMOTE_WRITE = 2, GASNETI_OFI_LOCAL = 4, GASNETI_OFI_LOCAL_SOURCE = 8 };

/* Atomic operations, with and without the previous value, which compare-and-swap always fetches. */
enum {
  GASNETI_OFI_FETCH, GASNETI_OFI_SET, GASNETI_OFI_SWAP, GASNETI_OFI_COMPARE_SWAP, GASNETI_OFI_FETCH_ADD, GASNETI_OFI_ADD,
  GASNETI_OFI_FETCH_AND, GASNETI_OFI_AND, GASNETI_OFI_FETCH_OR, GASNETI_OFI_OR, GASNETI_OFI_FETCH_XOR, GASNETI_OFI_XOR,
  GASNETI_OFI_FETCH_MULTIPLY, GASNETI_OFI_MULTIPLY, GASNETI_OFI_FETCH_LEAST, GASNETI_OFI_LEAST, GASNETI_OFI_FETCH_GREATEST, GASNETI_OFI_GREATEST
};

struct gasneti_ofi_shim {
  uint32_t version;
  uint32_t bytes;
  /* Of libfabric: major in the upper half, minor in the lower one. */
  uint32_t (*runs)(void);
  const char *(*error_text)(int code);
  /* The offers that fit the wish, at most `most`; returns their number. */
  int (*offers)(const struct gasneti_ofi_wish *wish, struct gasneti_ofi_offer *offers, int most);
  /* Opens an endpoint on the first offer that fits. `step` gets the call that failed. */
  int (*open)(const struct gasneti_ofi_wish *wish, gasneti_ofi_port **port, struct gasneti_ofi_facts *facts, const char **step);
  /* Makes receives for many messages end when fewer than `bytes` bytes are left in them. */
  int (*least_room)(gasneti_ofi_port *port, uint64_t bytes);
  /* The peer at this address. */
  int (*insert)(gasneti_ofi_port *port, const void *address, uint64_t *peer);
  int (*receive)(gasneti_ofi_port *port, void *buffer, uint64_t bytes, uint64_t descriptor, int is_multi, void *context);
  int (*send)(gasneti_ofi_port *port, uint64_t to, const void *buffer, uint64_t bytes, uint64_t descriptor, void *context);
  /* At most as many bytes as the provider injects; the buffer may be reused, and no completion comes. */
  int (*inject)(gasneti_ofi_port *port, uint64_t to, const void *buffer, uint64_t bytes);
  /* The completion says that the bytes are at the target. `copied`: the source may be reused on return, at most as many bytes as it injects. */
  int (*write)(gasneti_ofi_port *port, uint64_t to, const void *src, uint64_t bytes, uint64_t descriptor, uint64_t at, uint64_t key, int copied,
               void *context);
  int (*read)(gasneti_ofi_port *port, uint64_t from, void *dst, uint64_t bytes, uint64_t descriptor, uint64_t at, uint64_t key, void *context);
  /* 1: the provider executes the operation. Types: the number of the bit of GEX_DT, 0 to 3. */
  int (*executes)(gasneti_ofi_port *port, int type, int op);
  /* The operand and the number that is compared with stay until the completion, in memory with this descriptor, and `result`, too. */
  int (*atomic)(gasneti_ofi_port *port, uint64_t to, int type, int op, const void *operand, const void *compared, uint64_t descriptor,
                void *result, uint64_t at, uint64_t key, void *context);
  int (*add_memory)(gasneti_ofi_port *port, void *start, uint64_t bytes, int access, uint64_t wanted_key, struct gasneti_ofi_memory *memory);
  int (*end_memory)(gasneti_ofi_port *port, uint64_t object);
  /* The word by which transfers name a key. */
  int (*import_key)(gasneti_ofi_port *port, const void *key, uint32_t bytes, uint64_t *word);
  /* At most `most` completions; returns their number. Advances what is in flight. */
  int (*poll)(gasneti_ofi_port *port, struct gasneti_ofi_completion *completions, int most);
  /* 1: this thread may sleep until `wake` is readable. */
  int (*may_sleep)(gasneti_ofi_port *port);
  int (*close)(gasneti_ofi_port *port);
};

/* The one symbol of a shim. */
const struct gasneti_ofi_shim *gasneti_ofi_shim(void);

#endif
