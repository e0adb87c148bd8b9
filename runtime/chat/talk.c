/* A chat on standard input and output: each line is a message, which the model answers.

   The messages so far are made tokens for each answer, by pieces of the template between which they stand; what the model
   has read of them is not read again. The compiler defines the pieces, START, START_INSTRUCTED, AFTER_INSTRUCTION,
   AFTER_USER, AFTER_ANSWER and END, each a place in the table and a length; the table has characters, and control tokens
   with the highest bit set; FIRST_TOKEN, that of all texts, or -1; ENDS and ENDS_LIST, the tokens that end an answer;
   HIDDEN_FROM and HIDDEN_TO, characters that messages lose; TRIMMED_USER, TRIMMED_ANSWER and TRIMMED_INSTRUCTION, whether
   space around them falls away; and TEXTS and the texts of tokens. */

enum { CONTROL = 1u << 31 };

TABLE uint32_t mlc_chat_template[TEMPLATE];
TABLE unsigned char mlc_chat_token_bytes[TOKEN_BYTES];
TABLE uint32_t mlc_chat_token_ends[TEXTS + 1]; /* where the text of each token starts; the next one is its end */

static const int32_t ends[] = ENDS_LIST;

/* All messages, one after the other: of the system, if there is one, then of user and model in turns. */
static character *said;
static uint64_t said_count, *message_ends, message_count;

static character *run; /* a text between two control tokens */
static uint64_t run_count;

static void prepare_talk(void) {
    said = allocate(sizeof *said * MOST_CHARACTERS);
    message_ends = allocate(sizeof *message_ends * (2 * MOST_CHARACTERS + 2));
    run = allocate(sizeof *run * (MOST_CHARACTERS + TEMPLATE));
}

static void say_too_much(void) { fail("the conversation has more characters than the context can hold"); }

static void add_said(character c) {
    if (said_count == MOST_CHARACTERS) say_too_much();
    said[said_count++] = c;
}

static void end_message(void) {
    if (message_count == 2 * MOST_CHARACTERS + 2) say_too_much();
    message_ends[message_count++] = said_count;
}

/* ---- messages to tokens ---- */

static void add_to_run(character c) {
    if (run_count == MOST_CHARACTERS + TEMPLATE) say_too_much();
    run[run_count++] = c;
}

static void end_run(void) {
    take_text(run, run_count);
    run_count = 0;
}

static void add_template(uint64_t at, uint64_t length) {
    for (uint64_t i = at; i < at + length; i++) {
        uint32_t found = mlc_chat_template[i];
        if (found & CONTROL) {
            end_run();
            push_token((int32_t)(found & ~CONTROL));
        } else add_to_run(found);
    }
}

static int is_hidden(character c) { return c >= HIDDEN_FROM && c < HIDDEN_TO; }

static void add_message(uint64_t at, uint64_t end, int is_trimmed) {
    while (is_trimmed && at < end && (is_hidden(said[at]) || (kinds_of(said[at]) & STRIPPED))) at++;
    while (is_trimmed && at < end && (is_hidden(said[end - 1]) || (kinds_of(said[end - 1]) & STRIPPED))) end--;
    for (; at < end; at++)
        if (!is_hidden(said[at])) add_to_run(said[at]);
}

static void take_conversation(void) {
    uint64_t at = 0;
    token_count = 0;
    if (FIRST_TOKEN >= 0) push_token(FIRST_TOKEN);
    if (instruction) add_template(START_INSTRUCTED);
    else add_template(START);
    for (uint64_t i = 0; i < message_count; i++) {
        int is_user = !instruction == !(i % 2), is_instruction = instruction && !i;
        add_message(at, message_ends[i], is_instruction ? TRIMMED_INSTRUCTION : is_user ? TRIMMED_USER : TRIMMED_ANSWER);
        at = message_ends[i];
        if (is_instruction) add_template(AFTER_INSTRUCTION);
        else if (!is_user) add_template(AFTER_ANSWER);
        else if (i + 1 < message_count) add_template(AFTER_USER);
        else add_template(END);
    }
    end_run();
    if (FIRST_TOKEN >= 0 && token_count > 1 && tokens[1] == FIRST_TOKEN) { /* the template has it already */
        for (uint64_t i = 1; i < token_count; i++) tokens[i - 1] = tokens[i];
        token_count--;
    }
}

/* ---- lines to messages ---- */

static int next_byte(void) {
    static unsigned char buffer[1 << 16];
    static uint64_t have, used;
    while (used == have) {
        long n = system_call(SYS_read, 0, (long)buffer, sizeof buffer, 0, 0, 0);
        if (n == -EINTR) continue;
        if (n < 0) fail("cannot read standard input");
        if (n == 0) return -1;
        have = (uint64_t)n, used = 0;
    }
    return buffer[used++];
}

/* A line without the space around it; 0 if nothing is left, or the input has ended. */
static int read_line(void) {
    static int was_return; /* the line before ended by the first half of "\r\n" */
    Decoder decoder = {0};
    character found[2];
    uint64_t start = said_count, at = start;
    for (int byte; (byte = next_byte()) >= 0;) {
        int is_rest = was_return && byte == '\n';
        was_return = byte == '\r';
        if (is_rest) continue;
        if (byte == '\n' || byte == '\r') break;
        for (int i = 0, n = decode(&decoder, (unsigned char)byte, found); i < n; i++) add_said(found[i]);
    }
    if (decode_end(&decoder, found)) add_said(*found);
    while (said_count > start && (kinds_of(said[said_count - 1]) & STRIPPED)) said_count--;
    while (at < said_count && (kinds_of(said[at]) & STRIPPED)) at++;
    for (uint64_t i = at; i < said_count; i++) said[start + i - at] = said[i];
    said_count -= at - start;
    end_message();
    return said_count > start;
}

/* ---- tokens to text ---- */

static void write_out(const unsigned char *bytes, uint64_t size) {
    if (!write_all(1, (const char *)bytes, size)) fail("cannot write standard output");
}

/* Write a character, if it does not change the terminal. */
static void show(character c) {
    unsigned char bytes[4];
    int is_plain = (kinds_of(c) & PRINTED) || c == '\n' || c == '\t';
    add_said(c);
    write_out(bytes, (uint64_t)encode(is_plain ? c : REPLACEMENT, bytes));
}

static int is_end(int32_t token) {
    for (int i = 0; i < ENDS; i++)
        if (ends[i] == token) return 1;
    return 0;
}

static void answer(void) {
    uint64_t count = 0;
    Decoder decoder = {0};
    character found[2];
    begin_answer();
    take_conversation();
    read_anew(tokens, token_count);
    while (count < most_written) {
        const int32_t *written = held + held_count - count;
        int32_t token = next_token(logits, &sampling, held, held_count, written, count);
        if (is_end(token)) break;
        uint32_t at = token < TEXTS ? mlc_chat_token_ends[token] : 0, end = token < TEXTS ? mlc_chat_token_ends[token + 1] : 0;
        for (; at < end; at++)
            for (int i = 0, n = decode(&decoder, mlc_chat_token_bytes[at], found); i < n; i++) pass_on(found[i], show);
        if (is_stopped || ++count == most_written || held_count == CONTEXT) break;
        uint64_t start = now();
        read_tokens(&token, 1);
        written_count++;
        written_time += now() - start;
    }
    if (decode_end(&decoder, found)) pass_on(*found, show);
    pass_rest(show);
    write_out((const unsigned char *)"\n", 1);
    end_message();
}

/* Whether a person types the lines. */
static int is_terminal(void) {
    enum { GET_MODE = 0x5401 };
    char mode[64];
    return system_call(SYS_ioctl, 0, GET_MODE, (long)mode, 0, 0, 0) == 0;
}

static void report(const char *done, uint64_t count, uint64_t time) {
    say(done);
    say_number(count);
    say(" tokens, ");
    uint64_t tenths = time ? count * 10000000000u / time : 0;
    say_number(tenths / 10);
    say(".");
    say_number(tenths % 10);
    say(" per second\n");
}

__attribute__((used, noreturn)) static void run_model(const long *stack) {
    require_features(stack);
    parse_options(stack[0], (const char *const *)(stack + 1));
    prepare_tokens();
    prepare_sampling(sampling.seed);
    prepare_model();
    prepare_talk();
    if (instruction) {
        Decoder decoder = {0};
        character found[2];
        for (const char *p = instruction; *p; p++)
            for (int i = 0, n = decode(&decoder, (unsigned char)*p, found); i < n; i++) add_said(found[i]);
        if (decode_end(&decoder, found)) add_said(*found);
        end_message();
    }
    for (int shows_sign = is_terminal();;) {
        if (shows_sign) say("> ");
        if (!read_line()) break;
        answer();
    }
    if (is_timed) {
        report("read: ", read_count, read_time);
        report("written: ", written_count, written_time);
    }
    leave(0);
}
