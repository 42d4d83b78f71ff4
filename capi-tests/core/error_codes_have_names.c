// Every error code has its documented value, a name and a description; an unknown one too.
// ranks: 1
#include "check.h"

static void one(int code, const char *name) {
  CHECK(gasnet_ErrorName(code) && strcmp(gasnet_ErrorName(code), name) == 0);
  CHECK(gasnet_ErrorDesc(code) && strlen(gasnet_ErrorDesc(code)) > 3);
}

int main(int argc, char **argv) {
  one(GASNET_OK, "GASNET_OK");
  one(GASNET_ERR_NOT_INIT, "GASNET_ERR_NOT_INIT");
  one(GASNET_ERR_RESOURCE, "GASNET_ERR_RESOURCE");
  one(GASNET_ERR_BAD_ARG, "GASNET_ERR_BAD_ARG");
  one(GASNET_ERR_NOT_READY, "GASNET_ERR_NOT_READY");
  one(GASNET_ERR_BARRIER_MISMATCH, "GASNET_ERR_BARRIER_MISMATCH");
  CHECK_EQ(GASNET_OK, 0);
  CHECK_EQ(GASNET_ERR_NOT_INIT, 10001);
  CHECK_EQ(GASNET_ERR_RESOURCE, 10002);
  CHECK_EQ(GASNET_ERR_BAD_ARG, 10003);
  CHECK_EQ(GASNET_ERR_NOT_READY, 10004);
  CHECK_EQ(GASNET_ERR_BARRIER_MISMATCH, 10005);
  CHECK(gasnet_ErrorName(-77) && strlen(gasnet_ErrorName(-77)) > 0);
  CHECK(gasnet_ErrorDesc(123456) && strlen(gasnet_ErrorDesc(123456)) > 0);
  check_start(&argc, &argv, NULL, 0, 0);
  return check_end();
}
