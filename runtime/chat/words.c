/* Texts to words, which become tokens one by one: what generation/tokenizer.py has as regular expressions.

   The compiler defines DIGITS_APART, if digits are taken out first, and MOST_DIGITS, the most of a word by the pattern of
   Llama 3, or 0 for that of GPT-2. */

/* The end of the characters from `at` that have one of these kinds, or none of them. */
static uint64_t while_in(const character *text, uint64_t at, uint64_t end, uint32_t kinds, int wanted) {
    while (at < end && !!(kinds_of(text[at]) & kinds) == wanted) at++;
    return at;
}

static character lower(character c) { return c == 0x17F ? 's' : c >= 'A' && c <= 'Z' ? c + 32 : c; }

/* The end of 's, 't, 're, 've, 'm, 'll or 'd; `at` if there is none. */
static uint64_t contraction(const character *text, uint64_t at, uint64_t end) {
    static const char *const endings[] = {"s", "t", "re", "ve", "m", "ll", "d"};
    if (text[at] != '\'') return at;
    for (uint64_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        uint64_t n = 0;
        while (endings[i][n] && at + 1 + n < end) {
            character c = text[at + 1 + n];
            if ((MOST_DIGITS ? lower(c) : c) != (character)endings[i][n]) break;
            n++;
        }
        if (!endings[i][n]) return at + 1 + n;
    }
    return at;
}

/* `\s+(?!\S)|\s+`: all of the space at the end of a text, or in front of one character that is none, but for the last. */
static uint64_t space(const character *text, uint64_t at, uint64_t end) {
    uint64_t stop = while_in(text, at, end, SPACE, 1);
    return stop < end && stop > at + 1 ? stop - 1 : stop;
}

#if MOST_DIGITS
static int ends_line(character c) { return c == '\n' || c == '\r'; }

static uint64_t word(const character *text, uint64_t at, uint64_t end) {
    uint64_t stop = contraction(text, at, end);
    if (stop > at) return stop;
    uint32_t kinds = kinds_of(text[at]);
    uint64_t first = at + !((kinds & (LETTER | NUMBER)) || ends_line(text[at]));
    if ((stop = while_in(text, first, end, LETTER, 1)) > first) return stop;
    if (kinds & NUMBER) {
        stop = while_in(text, at, end, NUMBER, 1);
        return stop < at + MOST_DIGITS ? stop : at + MOST_DIGITS;
    }
    first = at + (text[at] == ' ');
    if ((stop = while_in(text, first, end, SPACE | LETTER | NUMBER, 0)) > first) {
        while (stop < end && ends_line(text[stop])) stop++;
        return stop;
    }
    stop = while_in(text, at, end, SPACE, 1);
    for (uint64_t last = stop; last > at; last--)
        if (ends_line(text[last - 1])) return last;
    return space(text, at, end);
}
#else
static uint64_t word(const character *text, uint64_t at, uint64_t end) {
    uint64_t stop = contraction(text, at, end);
    if (stop > at) return stop;
    uint64_t first = at + (text[at] == ' ');
    if ((stop = while_in(text, first, end, LETTER, 1)) > first) return stop;
    if ((stop = while_in(text, first, end, NUMBER, 1)) > first) return stop;
    if ((stop = while_in(text, first, end, SPACE | LETTER | NUMBER, 0)) > first) return stop;
    return space(text, at, end);
}
#endif

/* The end of the first word, and of the part without digits that it is in, which starts no later than `at`. */
static uint64_t next_word(const character *text, uint64_t at, uint64_t end, uint64_t *part) {
    if (!DIGITS_APART) *part = end;
    else if (at >= *part) {
        if (kinds_of(text[at]) & DIGIT) return *part = at + 1;
        *part = while_in(text, at, end, DIGIT, 0);
    }
    return word(text, at, *part);
}
