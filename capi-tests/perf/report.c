/* The results: a table for people, JSON and tab-separated lines for programs. Rank 0 prints. */
#include "perf.h"

#include <stdio.h>

static enum form form;
static int rows;

void report_begin(enum form wanted) {
  form = wanted;
  rows = 0;
  if (me != 0) return;
  if (form == JSON)
    printf("{\"tool\": \"gasnet_perf\", \"library\": \"%s\", \"ranks\": %d, \"results\": [", GASNET_CONFIG_STRING,
           (int)nodes);
  else if (form == TABLE)
    printf("# %s\n# %d ranks\n%-20s %9s %3s %3s %12s %12s %12s %10s %10s\n", GASNET_CONFIG_STRING, (int)nodes,
           "operation", "bytes", "thr", "prs", "ns (median)", "min", "max", "Mop/s", "MiB/s");
  fflush(stdout);
}

void report(const struct figure *f) {
  uint32_t lanes_used = f->round.threads * f->round.pairs;
  double mops = 1e3 * lanes_used / f->median_ns;
  double mib = mops * 1e6 * (double)f->round.size / 1048576.0;
  int bandwidth = (f->op->kind & ONE_WAY) && f->round.size > 0;
  switch (form) {
  case TABLE:
    printf("%-20s %9llu %3u %3u %12.2f %12.2f %12.2f %10.3f ", f->op->name, (unsigned long long)f->round.size,
           f->round.threads, f->round.pairs, f->median_ns, f->min_ns, f->max_ns, mops);
    if (bandwidth) printf("%10.1f\n", mib);
    else printf("%10s\n", "-");
    break;
  case JSON:
    printf("%s\n  {\"op\": \"%s\", \"bytes\": %llu, \"threads\": %u, \"pairs\": %u, \"iterations\": %llu, "
           "\"repeats\": %u, \"ns\": %.3f, \"ns_min\": %.3f, \"ns_max\": %.3f, \"mops_per_s\": %.6g",
           rows ? "," : "", f->op->name, (unsigned long long)f->round.size, f->round.threads, f->round.pairs,
           (unsigned long long)f->round.iters, f->repeats, f->median_ns, f->min_ns, f->max_ns, mops);
    if (bandwidth) printf(", \"mib_per_s\": %.6g", mib);
    printf("}");
    break;
  case TSV:
    printf("%s\t%llu\t%u\t%u\t%.3f\t%.3f\t%.3f\n", f->op->name, (unsigned long long)f->round.size,
           f->round.threads, f->round.pairs, f->median_ns, f->min_ns, f->max_ns);
    break;
  }
  rows++;
  fflush(stdout);
}

void report_value(const char *name, const char *unit, double value) {
  switch (form) {
  case TABLE: printf("%-44s %12.2f %s\n", name, value, unit); break;
  case JSON:
    printf("%s\n  {\"op\": \"%s\", \"unit\": \"%s\", \"value\": %.6g}", rows ? "," : "", name, unit, value);
    break;
  case TSV: printf("%s\t%s\t%.6g\n", name, unit, value); break;
  }
  rows++;
  fflush(stdout);
}

void report_end(void) {
  if (me == 0 && form == JSON) printf("\n]}\n");
  fflush(stdout);
}
