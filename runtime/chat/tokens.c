/* Words to tokens: neighbours are joined in the order of a list of pairs (Sennrich et al., arXiv:1508.07909).

   The compiler defines OF_BYTES, whether a word starts as its bytes or as its characters; PUTS_SPACE, whether a text becomes
   tokens as if a space stood in front of it; UNKNOWN, the token of characters without one, or -1; MOST_CHARACTERS, of a
   text; and the tables: the first tokens, the pairs in order, and the texts that are a token as they are, the longest one
   of those with the same first character first. */

enum { NO_TOKEN = -1, SPACE_OF_PIECES = 0x2581, MOST_PIECES = 4 * MOST_CHARACTERS + 8 };

typedef struct {
    uint32_t left, right, rank, joined;
} Pair;

TABLE int32_t mlc_chat_bytes[256];
TABLE uint32_t mlc_chat_characters[CHARACTERS][2]; /* characters in order, and their tokens */
TABLE Pair mlc_chat_pairs[PAIRS];
TABLE uint32_t mlc_chat_own[OWN][3]; /* where the text starts, its length, its token */
TABLE uint32_t mlc_chat_own_text[OWN_TEXT];

/* A token of a word, and its neighbours; the token is negative where it became a part of the one before it. */
typedef struct {
    int32_t token, before, after;
} Piece;

/* Two neighbours that can be joined. */
typedef struct {
    const Pair *pair;
    int32_t at;
} Candidate;

static Piece *pieces;
static int32_t piece_count;
static Candidate *heap;
static uint64_t heap_size;

static int32_t *tokens;
static uint64_t token_count;

static void prepare_tokens(void) {
    pieces = allocate(sizeof *pieces * MOST_PIECES);
    heap = allocate(sizeof *heap * 3 * MOST_PIECES);
    tokens = allocate(sizeof *tokens * (MOST_PIECES + MOST_CHARACTERS));
}

static void push_token(int32_t token) {
    if (token_count == MOST_PIECES + MOST_CHARACTERS) fail("the conversation is longer than the context");
    tokens[token_count++] = token;
}

/* ---- candidates, the best one on top ---- */

static int is_before(Candidate a, Candidate b) {
    return a.pair->rank != b.pair->rank ? a.pair->rank < b.pair->rank : a.at < b.at;
}

static void push_candidate(Candidate added) {
    uint64_t i = heap_size++;
    for (; i && is_before(added, heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = added;
}

static Candidate pop_candidate(void) {
    Candidate top = heap[0], last = heap[--heap_size];
    uint64_t i = 0, child;
    while ((child = 2 * i + 1) < heap_size) {
        if (child + 1 < heap_size && is_before(heap[child + 1], heap[child])) child++;
        if (!is_before(heap[child], last)) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

static const Pair *pair_of(int32_t left, int32_t right) {
    uint64_t wanted = (uint64_t)(uint32_t)left << 32 | (uint32_t)right, low = 0, high = PAIRS;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        const Pair *pair = &mlc_chat_pairs[middle];
        uint64_t found = (uint64_t)pair->left << 32 | pair->right;
        if (found == wanted) return pair;
        if (found < wanted) low = middle + 1;
        else high = middle;
    }
    return 0;
}

static void consider(int32_t at) {
    if (at < 0 || pieces[at].after < 0) return;
    const Pair *pair = pair_of(pieces[at].token, pieces[pieces[at].after].token);
    if (pair) push_candidate((Candidate){pair, at});
}

/* ---- words ---- */

static void push_piece(int32_t token) {
    pieces[piece_count] = (Piece){token, piece_count - 1, piece_count + 1};
    piece_count++;
}

/* Join the pieces, and take the tokens that are left. */
static void join_pieces(void) {
    if (!piece_count) return;
    pieces[piece_count - 1].after = -1;
    for (int32_t i = 0; i < piece_count; i++) consider(i);
    while (heap_size) {
        Candidate best = pop_candidate();
        Piece *left = &pieces[best.at];
        if (left->token != (int32_t)best.pair->left || left->after < 0) continue;
        Piece *right = &pieces[left->after];
        if (right->token != (int32_t)best.pair->right) continue;
        left->token = (int32_t)best.pair->joined;
        left->after = right->after;
        right->token = NO_TOKEN;
        if (left->after >= 0) pieces[left->after].before = best.at;
        consider(left->before);
        consider(best.at);
    }
    for (int32_t i = 0; i >= 0; i = pieces[i].after) push_token(pieces[i].token);
    piece_count = 0;
}

#if OF_BYTES
static void take_plain(const character *text, uint64_t size) {
    uint64_t part = 0;
    for (uint64_t at = 0; at < size;) {
        uint64_t end = next_word(text, at, size, &part);
        for (; at < end; at++) {
            unsigned char bytes[4];
            int count = encode(text[at], bytes);
            for (int i = 0; i < count; i++)
                if (mlc_chat_bytes[bytes[i]] != NO_TOKEN) push_piece(mlc_chat_bytes[bytes[i]]);
        }
        join_pieces();
    }
}
#else
static int32_t token_of(character c) {
    uint32_t low = 0, high = CHARACTERS;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (mlc_chat_characters[middle][0] <= c) low = middle;
        else high = middle;
    }
    return mlc_chat_characters[low][0] == c ? (int32_t)mlc_chat_characters[low][1] : NO_TOKEN;
}

/* One token for neighbours without one, unless their bytes have tokens. */
static void take_plain(const character *text, uint64_t size) {
    int is_unknown = 0;
    for (uint64_t i = 0; i < size + PUTS_SPACE; i++) {
        character c = i < PUTS_SPACE ? ' ' : text[i - PUTS_SPACE];
        c = c == ' ' ? SPACE_OF_PIECES : c;
        int32_t token = token_of(c);
        if (token != NO_TOKEN) {
            if (is_unknown) push_piece(UNKNOWN);
            is_unknown = 0;
            push_piece(token);
            continue;
        }
        unsigned char bytes[4];
        int count = encode(c, bytes), known = 0;
        while (known < count && mlc_chat_bytes[bytes[known]] != NO_TOKEN) known++;
        for (int b = 0; b < count && known == count; b++) push_piece(mlc_chat_bytes[bytes[b]]);
        is_unknown |= known < count && UNKNOWN != NO_TOKEN;
    }
    if (is_unknown) push_piece(UNKNOWN);
    join_pieces();
}
#endif

/* ---- texts ---- */

/* The text that is a token as it is and starts at `at`; 0 if there is none. */
static const uint32_t *own_at(const character *text, uint64_t at, uint64_t end) {
    uint32_t low = 0, high = OWN;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (mlc_chat_own_text[mlc_chat_own[middle][0]] < text[at]) low = middle + 1;
        else high = middle;
    }
    for (; low < OWN && mlc_chat_own_text[mlc_chat_own[low][0]] == text[at]; low++) {
        const uint32_t *own = mlc_chat_own[low], *name = mlc_chat_own_text + own[0];
        uint64_t n = 0;
        while (n < own[1] && at + n < end && name[n] == text[at + n]) n++;
        if (n == own[1]) return own;
    }
    return 0;
}

/* Take the tokens of a text that has no names of control tokens. */
static void take_text(const character *text, uint64_t size) {
    uint64_t start = 0, at = 0;
    while (at < size) {
        const uint32_t *own = own_at(text, at, size);
        if (!own) {
            at++;
            continue;
        }
        if (at > start) take_plain(text + start, at - start);
        push_token((int32_t)own[2]);
        start = at += own[1];
    }
    if (size > start) take_plain(text + start, size - start);
}
