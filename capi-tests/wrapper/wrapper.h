/* The functions of a wrapper, by which a program reaches GASNet that is built without its headers and linked without its library: it opens
 * the wrapper with dlopen, as Legion's runtime Realm does. */
#ifndef WRAPPER_H
#define WRAPPER_H
#include <stddef.h>
#include <stdint.h>

typedef void (*wrapper_message)(void *context, unsigned from, const void *data, size_t bytes, uint32_t word);

struct wrapper {
  void (*init)(int *argc, char ***argv);
  /* A segment of `bytes` bytes; `message` is called for each message, inside of `poll` and `barrier`. */
  void (*attach)(size_t bytes, wrapper_message message, void *context);
  unsigned (*rank)(void);
  unsigned (*ranks)(void);
  void *(*segment)(unsigned rank, size_t *bytes);
  size_t (*longest)(void);
  void (*send)(unsigned to, const void *data, size_t bytes, uint32_t word);
  /* With a payload that is put to `at` before. */
  void (*send_to)(unsigned to, const void *data, size_t bytes, void *at, uint32_t word);
  void (*put)(unsigned to, void *at, const void *from, size_t bytes);
  void (*get)(void *to, unsigned from, const void *at, size_t bytes);
  uint64_t (*add)(unsigned to, void *at, uint64_t number);
  void (*poll)(void);
  void (*barrier)(void);
  void (*leave)(int code);
};

/* The only function that a wrapper exports; 0: `bytes` is not the size of its table. */
typedef int wrapper_open_function(struct wrapper *table, size_t bytes);
#endif
