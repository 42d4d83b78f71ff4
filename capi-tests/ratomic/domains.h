/* For tests of remote atomics: the start, and every type and operation by name. */
#include "check_ex.h"

#include <gasnet_ratomic.h>

static CHECK_UNUSED void domains_start(int *argc, char ***argv) { check_start(argc, argv, NULL, 0, KiB(64)); }

static CHECK_UNUSED gex_AD_t domain_of(gex_DT_t dt, gex_OP_t ops) {
  gex_AD_t ad = GEX_AD_INVALID;
  gex_AD_Create(&ad, world, dt, ops, 0);
  MUST(ad != GEX_AD_INVALID);
  return ad;
}

#define OPS_OF_ALL                                                                                                 \
  (GEX_OP_ADD | GEX_OP_SUB | GEX_OP_MULT | GEX_OP_MIN | GEX_OP_MAX | GEX_OP_INC | GEX_OP_DEC | GEX_OP_FADD |       \
   GEX_OP_FSUB | GEX_OP_FMULT | GEX_OP_FMIN | GEX_OP_FMAX | GEX_OP_FINC | GEX_OP_FDEC | GEX_OP_SET | GEX_OP_CAS | \
   GEX_OP_GET | GEX_OP_SWAP | GEX_OP_FCAS)
#define OPS_OF_INTEGERS \
  (OPS_OF_ALL | GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR | GEX_OP_FAND | GEX_OP_FOR | GEX_OP_FXOR)

static CHECK_UNUSED int fetches(gex_OP_t op) { return op >= GEX_OP_FAND; }

/* What synchronises an implicit operation. */
static CHECK_UNUSED gex_EC_t category(gex_OP_t op) {
  return op == GEX_OP_SET ? GEX_EC_PUT : op == GEX_OP_GET ? GEX_EC_GET : GEX_EC_RMW;
}
