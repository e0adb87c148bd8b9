/* The options of a chat: those of `mlc chat` that shape what is written. The compiler defines TEMPERATURE and MOST_WRITTEN,
   what holds where they are not given, and CAN_INSTRUCT, whether the template takes a message of the system. */

static Sampling sampling = {.temperature = TEMPERATURE, .top_k = 40, .top_p = 0.95, .min_p = 0.05, .repetition = 1};
static uint64_t most_written = MOST_WRITTEN;
static const char *instruction;
static int is_timed;

__attribute__((noreturn)) static void refuse(const char *option, const char *required, const char *found) {
    say("error: found ");
    say(option);
    say(" ");
    say(found);
    say("; required: ");
    say(required);
    say("\n");
    leave(1);
}

static uint64_t parse_whole(const char *option, const char *text) {
    uint64_t value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9' && value < 100000000000000000u; p++) value = value * 10 + (uint64_t)(*p - '0');
    if (*p || p == text) refuse(option, "a whole number below 10^18", text);
    return value;
}

/* A decimal number, whose digits and power of ten are exact in a double, so that one division gives the nearest one. */
static double parse_number(const char *option, const char *text, double least, double most) {
    uint64_t value = 0;
    double power = 1;
    int digits = 0, is_fraction = 0;
    const char *p = text + (*text == '-');
    for (; (*p >= '0' && *p <= '9') || (*p == '.' && !is_fraction); p++) {
        if (*p == '.') {
            is_fraction = 1;
            continue;
        }
        value = value * 10 + (uint64_t)(*p - '0');
        if (is_fraction) power *= 10;
        if (++digits > 15) refuse(option, "a number of at most 15 digits", text);
    }
    double found = (double)value / power;
    if (*text == '-') found = -found;
    if (*p || !digits) refuse(option, "a decimal number", text);
    if (found < least || found > most) refuse(option, "a number in the range that --help says", text);
    return found;
}

__attribute__((noreturn)) static void show_help(int file) {
    static const char text[] =
        "usage: chat [options] < lines\n"
        "Each line of standard input is a message, which is answered; the end of the input, or an empty line, is the end.\n"
        "  -n N                    the most tokens of an answer\n"
        "  --temperature T         0 for the most likely token, or what logits are divided by to draw one; up to 1000000\n"
        "  --top-k K               draw one of the K most likely tokens (40); 0 for all\n"
        "  --top-p P               of those that together are P likely (0.95); 0 to 1\n"
        "  --min-p P               of those P times as likely as the best (0.05); 0 to 1\n"
        "  --seed N                equal seeds draw equal tokens (0)\n"
        "  --repetition-penalty X  what makes tokens less likely that came before (1); 0.01 to 100\n"
        "  --frequency-penalty X   what is taken from a logit for each time that its token is in the answer (0); -100 to 100\n"
        "  --presence-penalty X    the same, once for each token (0); -100 to 100\n"
        "  --stop TEXT             end an answer before this text; may be repeated\n"
        "  --system TEXT           what the chat starts with\n"
        "  --speed                 say at the end how many tokens were read and written in a second\n";
    write_all(file, text, sizeof text - 1);
    leave(file == 1 ? 0 : 2);
}

__attribute__((noreturn)) static void refuse_option(const char *option, const char *words) {
    say("error: found ");
    say(option);
    say(words);
    show_help(2);
}

static uint64_t length_of(const char *text) {
    uint64_t length = 0;
    while (text[length]) length++;
    return length;
}

static void parse_options(long count, const char *const *arguments) {
    uint64_t longest = 0;
    for (long i = 1; i < count; i++)
        if (length_of(arguments[i]) > longest) longest = length_of(arguments[i]);
    prepare_stops((uint64_t)count, longest);
    for (long i = 1; i < count; i++) {
        const char *option = arguments[i];
        if (equal(option, "--help") || equal(option, "-h")) show_help(1);
        if (equal(option, "--speed")) {
            is_timed = 1;
            continue;
        }
        if (i + 1 == count) refuse_option(option, "; required: one of these options, with its value\n");
        const char *value = arguments[++i];
        if (equal(option, "-n")) most_written = parse_whole(option, value);
        else if (equal(option, "--temperature")) sampling.temperature = parse_number(option, value, 0, 1e6);
        else if (equal(option, "--top-k")) sampling.top_k = parse_whole(option, value);
        else if (equal(option, "--top-p")) sampling.top_p = parse_number(option, value, 0, 1);
        else if (equal(option, "--min-p")) sampling.min_p = parse_number(option, value, 0, 1);
        else if (equal(option, "--seed")) sampling.seed = parse_whole(option, value);
        else if (equal(option, "--repetition-penalty")) sampling.repetition = parse_number(option, value, 0.01, 100);
        else if (equal(option, "--frequency-penalty")) sampling.frequency = parse_number(option, value, -100, 100);
        else if (equal(option, "--presence-penalty")) sampling.presence = parse_number(option, value, -100, 100);
        else if (equal(option, "--system")) instruction = value;
        else if (equal(option, "--stop") && !*value) fail("found an empty --stop; required: a text");
        else if (equal(option, "--stop")) add_stop(value, length_of(value));
        else refuse_option(option, "; required: one of these options\n");
    }
    if (instruction && !CAN_INSTRUCT) fail("found --system; the template of this model takes no message of the system");
}
