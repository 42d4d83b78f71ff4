/* A handler that counts its messages, for jobs of many ranks. */
static int heard;
static void on_message(gasnet_token_t token) {
  (void)token;
  __atomic_add_fetch(&heard, 1, __ATOMIC_RELAXED);
}

/* Attaches a segment of 64 KiB and requires a job of `size` ranks. */
static void start_many(int *argc, char ***argv, gasnet_node_t size) {
  gasnet_handlerentry_t table[] = {HANDLER(200, on_message)};
  check_start(argc, argv, table, 1, KiB(64));
  MUST(nranks == size);
}

static void wait_for_messages(int number) { GASNET_BLOCKUNTIL(__atomic_load_n(&heard, __ATOMIC_RELAXED) == number); }
