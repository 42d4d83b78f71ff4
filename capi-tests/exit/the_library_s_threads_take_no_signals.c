// ranks: 2
/* The threads that the library and the libraries of networks have started block the signals that end a job: a handler, the client's or the library's, runs on
 * threads of the client. */
#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, GASNET_PAGESIZE);
  barrier();
  DIR *tasks = opendir("/proc/self/task");
  MUST(tasks);
  int seen = 0;
  for (struct dirent *task; (task = readdir(tasks));) {
    if (task->d_name[0] == '.') continue;
    seen++;
    if (atoi(task->d_name) == getpid()) continue;
    char path[300], line[200], name[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
    FILE *status = fopen(path, "r");
    if (!status) continue; /* it has ended */
    unsigned long long blocked = 0;
    int found = 0;
    while (fgets(line, sizeof line, status)) {
      sscanf(line, "Name: %63s", name);
      found += sscanf(line, "SigBlk: %llx", &blocked) == 1;
    }
    fclose(status);
    MUST(found == 1);
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
      if (!(blocked >> (ends[i] - 1) & 1)) {
        fprintf(stderr, "ERROR: thread %s takes signal %d\n", name, ends[i]);
        gasnet_exit(1);
      }
  }
  closedir(tasks);
  CHECK(seen >= 1);
  barrier();
  return check_end();
}
