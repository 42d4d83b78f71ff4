/* Which calls fail: call number FAULT_AT of FAULT_CALL, counted from 1, with FAULT_ALWAYS all later ones, too, in the first process that gets there, which
 * makes the file FAULT_ONCE. */
#ifndef FAULT_H
#define FAULT_H
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(const char *name) {
  static int calls, is_mine;
  const char *call = getenv("FAULT_CALL"), *at = getenv("FAULT_AT"), *once = getenv("FAULT_ONCE");
  if (!call || strcmp(call, name)) return 0;
  ++calls;
  if (is_mine) return getenv("FAULT_ALWAYS") != NULL;
  if (calls != (at ? atoi(at) : 1) || !once) return 0;
  int file = open(once, O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (file < 0) return 0;
  close(file);
  return is_mine = 1;
}
#endif
