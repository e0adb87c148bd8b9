/* The model with its caches, and what it has read so far.

   The compiler defines CONTEXT, how many tokens caches hold; WIDTH, of the hidden state; CACHES and CACHE_BYTES, a list;
   WORKSPACE_BYTES; FUNCTIONS, those of the model; CALLS, a list with the largest first: how many tokens a call takes, with
   how few of them it is made, and its function; and MOST_GIVEN, the tokens of the largest. */

typedef int32_t model_function(const void *const *inputs, void *const *outputs, void *workspace);
model_function FUNCTIONS;

enum { TOKENS, POSITION, COUNT, FIRST_CACHE, LOGITS = 0, HIDDEN = 1, FIRST_NEW_CACHE = 2 };

static const struct { uint64_t size, least; model_function *decode; } calls[] = CALLS;
static const uint64_t cache_bytes[] = CACHE_BYTES;
static const void *inputs[FIRST_CACHE + CACHES];
static void *outputs[FIRST_NEW_CACHE + CACHES];
static void *workspace;
static int64_t given[MOST_GIVEN], position, count_given;
static float *logits;

static int32_t held[CONTEXT];
static uint64_t held_count;
static uint64_t read_count, read_time, written_count, written_time;

static void prepare_model(void) {
    inputs[TOKENS] = given, inputs[POSITION] = &position, inputs[COUNT] = &count_given;
    outputs[LOGITS] = logits = allocate(sizeof *logits * VOCABULARY);
    outputs[HIDDEN] = allocate(sizeof(float) * WIDTH);
    for (int i = 0; i < CACHES; i++) inputs[FIRST_CACHE + i] = outputs[FIRST_NEW_CACHE + i] = allocate(cache_bytes[i]);
    workspace = allocate(WORKSPACE_BYTES);
}

/* Read tokens, which follow those that are held; `logits` are those of the next one. */
static void read_tokens(const int32_t *next, uint64_t count) {
    if (count > CONTEXT - held_count) {
        say("error: found ");
        say_number(count);
        say(" tokens to read; required: 1 to ");
        say_number(CONTEXT - held_count);
        say(", which the context has left\n");
        leave(1);
    }
    while (count) {
        int call = 0;
        while (count < calls[call].least || CONTEXT - held_count < calls[call].size) call++;
        uint64_t size = calls[call].size < count ? calls[call].size : count;
        for (uint64_t i = 0; i < calls[call].size; i++) given[i] = i < size ? next[i] : 0;
        position = (int64_t)held_count, count_given = (int64_t)size;
        if (calls[call].decode(inputs, outputs, workspace) != 0) fail("the model failed");
        for (uint64_t i = 0; i < size; i++) held[held_count++] = next[i];
        next += size, count -= size;
    }
}

/* Forget what was read, but for what these tokens start with, and read the rest of them: the last one at least. */
static void read_anew(const int32_t *wanted, uint64_t count) {
    uint64_t kept = 0, start = now();
    while (kept < held_count && kept + 1 < count && held[kept] == wanted[kept]) kept++;
    held_count = kept;
    read_tokens(wanted + kept, count - kept);
    read_count += count - kept;
    read_time += now() - start;
}
