/* Preloaded into the ranks of a job: the process that listens for the others of its host is killed when it sends to them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int is_first;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

static int is_ours(int fd) {
  int type = 0, domain = 0;
  socklen_t bytes = sizeof type;
  return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes) && !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &bytes) && type == SOCK_SEQPACKET &&
         domain == AF_UNIX;
}

int listen(int fd, int backlog) {
  int (*real)(int, int);
  void *found = next("listen");
  memcpy(&real, &found, sizeof real);
  is_first |= is_ours(fd);
  return real(fd, backlog);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  ssize_t (*real)(int, const struct msghdr *, int);
  void *found = next("sendmsg");
  memcpy(&real, &found, sizeof real);
  if (is_first && is_ours(fd)) kill(getpid(), SIGKILL);
  return real(fd, message, flags);
}
