/* The program around a model that was compiled to an executable. It needs no C library: Linux system calls only.

   Reads the elements of all inputs, in order, as raw bytes from standard input; runs the model; writes the elements of
   all outputs to standard output; and again, until the input ends. With `--repeat N` each call runs N times, and the mean
   time of a run in nanoseconds goes to standard error. With `--signature` it prints the model's signature.

   Before that it compares the features of the CPU with those that the model needs, so it is compiled for a CPU without
   any.

   `program.c` stands in front of it. The compiler defines MODEL(suffix), the model's C names, INPUTS, OUTPUTS and lists of
   their sizes in bytes. */

int32_t MODEL()(const void *const *inputs, void *const *outputs, void *workspace);
uint64_t MODEL(_workspace_bytes)(void);
const char *MODEL(_signature)(void);

static const uint64_t input_bytes[] = INPUT_BYTES;
static const uint64_t output_bytes[] = OUTPUT_BYTES;

/* ---- work ---- */

/* Fill `data`; returns the number of bytes there were before the end of the input. */
static uint64_t read_up_to(char *data, uint64_t size) {
    uint64_t have = 0;
    while (have < size) {
        long n = system_call(SYS_read, 0, (long)(data + have), (long)(size - have), 0, 0, 0);
        if (n == -EINTR) continue;
        if (n < 0) fail("cannot read standard input");
        if (n == 0) break;
        have += (uint64_t)n;
    }
    return have;
}

/* Read the inputs of one call; returns 0 if there is no further call. */
static int read_inputs(void *const *inputs) {
    uint64_t wanted = 0, have = 0;
    for (int i = 0; i < INPUTS; i++) {
        if (have == wanted) have += read_up_to(inputs[i], input_bytes[i]);
        wanted += input_bytes[i];
    }
    if (have == 0) return 0;
    if (have < wanted) {
        say("error: the input ended in the middle of a call: found ");
        say_number(have);
        say(" bytes; required: ");
        say_number(wanted);
        say(" for each call\n");
        leave(1);
    }
    return 1;
}

static uint64_t parse_count(const char *text) {
    uint64_t value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9' && value < 1000000000; p++) value = value * 10 + (uint64_t)(*p - '0');
    if (*p || p == text || value == 0) fail("--repeat takes a number from 1 to 9999999999");
    return value;
}

static void call(void *const *inputs, void *const *outputs, void *workspace, uint64_t repeat) {
    uint64_t start = repeat ? now() : 0;
    for (uint64_t i = 0; i < (repeat ? repeat : 1); i++)
        if (MODEL()((const void *const *)inputs, outputs, workspace) != 0) fail("the model failed");
    if (repeat) {
        say_number((now() - start) / repeat);
        say(" ns per call\n");
    }
    for (int i = 0; i < OUTPUTS; i++)
        if (!write_all(1, outputs[i], output_bytes[i])) fail("cannot write standard output");
}

__attribute__((used, noreturn)) static void run_model(const long *stack) {
    long count = stack[0];
    const char *const *arguments = (const char *const *)(stack + 1);
    uint64_t repeat = 0;
    require_features(stack);
    for (long i = 1; i < count; i++) {
        if (equal(arguments[i], "--repeat") && i + 1 < count) {
            repeat = parse_count(arguments[++i]);
        } else if (equal(arguments[i], "--signature")) {
            write_all(1, MODEL(_signature)(), length(MODEL(_signature)()));
            write_all(1, "\n", 1);
            leave(0);
        } else {
            say("usage: model [--repeat N] [--signature] < inputs > outputs\n");
            leave(2);
        }
    }
    void *inputs[INPUTS + 1], *outputs[OUTPUTS + 1];
    uint64_t input_total = 0;
    for (int i = 0; i < INPUTS; i++) {
        inputs[i] = allocate(input_bytes[i]);
        input_total += input_bytes[i];
    }
    for (int i = 0; i < OUTPUTS; i++) outputs[i] = allocate(output_bytes[i]);
    void *workspace = allocate(MODEL(_workspace_bytes)());
    if (input_total == 0)
        call(inputs, outputs, workspace, repeat); /* nothing to read: one call */
    else
        while (read_inputs(inputs)) call(inputs, outputs, workspace, repeat);
    leave(0);
}
