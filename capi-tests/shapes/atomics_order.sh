# Writes of a thread before an atomic operation of gasnet_ratomic.h are ordered before reads of another thread after an
# operation that sees the first one's value. x86-64 orders more than the operations require, so that running
# them proves nothing; ThreadSanitizer checks the memory orders in the headers.
cat >order.c <<'C'
#include <gasnetex.h>
#include <gasnet_ratomic.h>
#include <pthread.h>
#include <stdio.h>

/* Each of these changes the value 5. */
#define WRITERS(X) X(SET) X(SWAP) X(ADD) X(FADD) X(SUB) X(FSUB) X(INC) X(FINC) X(DEC) X(FDEC) X(MULT) X(FMULT) \
                   X(MIN) X(FMIN) X(MAX) X(FMAX) X(CAS) X(FCAS)
#define WRITERS_INTEGER(X) X(AND) X(FAND) X(OR) X(FOR) X(XOR) X(FXOR)
/* Each of these returns the value and does not change it. */
#define READERS(X) X(GET) X(FADD) X(FMIN) X(FCAS)

#define OF(name) GEX_OP_##name,
static const gex_OP_t writers[] = {WRITERS(OF) WRITERS_INTEGER(OF)};
static const gex_OP_t readers[] = {READERS(OF)};
enum { COUNT = sizeof writers / sizeof *writers, FLOAT = COUNT - 6, READS = sizeof readers / sizeof *readers };

#define EACH(X) X(I32, int32_t, COUNT) X(U32, uint32_t, COUNT) X(I64, int64_t, COUNT) X(U64, uint64_t, COUNT) \
                X(FLT, float, FLOAT) X(DBL, double, FLOAT)

#define TARGETS(code, type, count) static struct { type word; int data; } code[COUNT][READS];
EACH(TARGETS)

#define WRITE(code, type, count)                                                                                \
  for (w = 0; w < count; w++)                                                                                   \
    for (r = 0; r < READS; r++) {                                                                               \
      gex_OP_t op = writers[w];                                                                                 \
      int compares = op == GEX_OP_CAS || op == GEX_OP_FCAS;                                                     \
      int lowers = op == GEX_OP_MIN || op == GEX_OP_FMIN || op == GEX_OP_AND || op == GEX_OP_FAND;              \
      code[w][r].data = 1;                                                                                      \
      (void)gasneti_any_##code(&code[w][r].word, op, (type)(compares ? 5 : lowers ? 2 : 9), (type)7);            \
    }
#define READ(code, type, count)                                                                                 \
  for (w = 0; w < count; w++)                                                                                   \
    for (r = 0; r < READS; r++) {                                                                               \
      gex_OP_t op = readers[r];                                                                                 \
      type with = (type)(op == GEX_OP_FADD ? 0 : op == GEX_OP_FMIN ? 100000 : 100), found;                      \
      do found = gasneti_any_##code(&code[w][r].word, op, with, with);                                          \
      while (found >= (type)5 && found <= (type)5);                                                             \
      seen += code[w][r].data;                                                                                  \
    }
#define INITIAL(code, type, count) for (w = 0; w < count; w++) for (r = 0; r < READS; r++) code[w][r].word = (type)5;
#define NUMBER(code, type, count) + count * READS

static void *write_all(void *unused) {
  int w, r;
  EACH(WRITE)
  return unused;
}

int main(void) {
  pthread_t writer;
  int w, r, seen = 0;
  EACH(INITIAL)
  if (pthread_create(&writer, NULL, write_all, NULL)) return 1;
  EACH(READ)
  pthread_join(writer, NULL);
  printf("%d of %d\n", seen, 0 EACH(NUMBER));
  return seen != (0 EACH(NUMBER));
}
C
relaxed="-U__ATOMIC_SEQ_CST -D__ATOMIC_SEQ_CST=__ATOMIC_RELAXED"
build_and_run() { $1 -std=gnu99 -w -O1 -g -fsanitize=thread $3 $(flags par) -o "$2" order.c $(libs par) && timeout -k 5 60 "./$2"; }
races() { build_and_run "$1" race "$relaxed" 2>&1 | grep -q "data race"; }
here_is_tsan() { echo 'int main(void) { return 0; }' >empty.c && $1 -fsanitize=thread -o empty empty.c && ./empty; }
for cc in gcc clang; do
  here_is_tsan $cc >/dev/null 2>&1 || { echo "   $cc has no ThreadSanitizer that runs here"; continue; }
  ok "$cc: operations carry what was written before" build_and_run $cc order ""
  ok "$cc: ThreadSanitizer sees what relaxed ones would not" races $cc
done
