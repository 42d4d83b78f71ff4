// A message for an unregistered handler index ends the job with an error that names the index.
// ranks: 1 2
// expect: exit nonzero; stderr /FATAL ERROR.*(handler|index).*199|199.*(handler|index)/
#include "check.h"

int main(int argc, char **argv) {
  check_start(&argc, &argv, NULL, 0, 0);
  if (me == 0) gasnet_AMRequestShort0(nranks - 1, 199);
  for (;;) gasnet_AMPoll();
}
