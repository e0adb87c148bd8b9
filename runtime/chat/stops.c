/* Texts in front of which an answer ends, as `--stop` gives them. What may be the start of one of them waits until that is
   known. */

typedef struct {
    character *text;
    uint64_t length;
} Stop;

static Stop *stops;
static uint64_t stop_count;
static character *waiting; /* the end of the answer so far; as many characters at most as the longest text has */
static uint64_t waiting_count;
static int is_stopped; /* whether one of the texts came */

/* Make room for so many texts, of which none has more bytes than this. */
static void prepare_stops(uint64_t count, uint64_t longest) {
    stops = allocate(sizeof *stops * (count + 1));
    waiting = allocate(sizeof *waiting * (longest + 1));
}

static void add_stop(const char *bytes, uint64_t size) {
    Stop *stop = &stops[stop_count++];
    Decoder decoder = {0};
    stop->text = allocate(sizeof *stop->text * (size + 1));
    for (uint64_t i = 0; i < size; i++) stop->length += (uint64_t)decode(&decoder, (unsigned char)bytes[i], stop->text + stop->length);
    stop->length += (uint64_t)decode_end(&decoder, stop->text + stop->length);
}

/* How many of the last characters that wait are the start of a text; the most of them. */
static uint64_t begun(const Stop *stop) {
    uint64_t n = waiting_count < stop->length ? waiting_count : stop->length;
    for (; n; n--) {
        uint64_t same = 0;
        while (same < n && waiting[waiting_count - n + same] == stop->text[same]) same++;
        if (same == n) break;
    }
    return n;
}

/* Let a character wait; returns how many of those that wait come before all texts. After a text none waits. */
static uint64_t let_wait(character c) {
    uint64_t most_begun = 0, longest = 0;
    waiting[waiting_count++] = c;
    for (uint64_t i = 0; i < stop_count; i++) {
        uint64_t n = begun(&stops[i]);
        if (n > most_begun) most_begun = n;
        if (n == stops[i].length && n > longest) longest = n;
    }
    is_stopped = longest > 0;
    return waiting_count - (is_stopped ? longest : most_begun);
}

static void begin_answer(void) { waiting_count = 0, is_stopped = 0; }

/* Take a character of the answer, and show what is known to come before all texts. */
static void pass_on(character c, void (*show)(character)) {
    if (is_stopped) return;
    uint64_t count = let_wait(c);
    for (uint64_t i = 0; i < count; i++) show(waiting[i]);
    for (uint64_t i = count; i < waiting_count; i++) waiting[i - count] = waiting[i];
    waiting_count -= count;
}

/* Show what still waits at the end of the answer. */
static void pass_rest(void (*show)(character)) {
    for (uint64_t i = 0; i < waiting_count && !is_stopped; i++) show(waiting[i]);
}
