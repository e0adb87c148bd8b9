/* Characters of texts: UTF-8 to code points and back, and of which kinds each is.

   The compiler defines KINDS and the table `mlc_chat_kinds`: ranges of characters of the same kinds, in order, each of them
   256 times the first character and the kinds. */

#define TABLE extern __attribute__((visibility("hidden"))) const

typedef uint32_t character;

/* SPACE is that of patterns; STRIPPED falls away at the ends of messages; DIGIT stands alone where digits do. */
enum { LETTER = 1, NUMBER = 2, SPACE = 4, DIGIT = 8, PRINTED = 16, STRIPPED = 32 };
enum { REPLACEMENT = 0xFFFD };

TABLE uint32_t mlc_chat_kinds[KINDS];

static uint32_t kinds_of(character c) {
    uint32_t low = 0, high = KINDS;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (mlc_chat_kinds[middle] >> 8 <= c) low = middle;
        else high = middle;
    }
    return mlc_chat_kinds[low] & 0xFF;
}

/* A character that has begun: its bits so far, how many bytes it wants, and what the next one may be. */
typedef struct {
    character value;
    int wanted;
    unsigned char least, most;
} Decoder;

/* The characters that a further byte ends, two at most. What is not UTF-8 becomes a replacement character for the longest
   start of a character, and for each other byte (The Unicode Standard 15, 3.9, "U+FFFD Substitution of Maximal Subparts"). */
static int decode(Decoder *d, unsigned char byte, character *out) {
    int n = 0;
    if (d->wanted) {
        if (byte >= d->least && byte <= d->most) {
            d->value = d->value << 6 | (byte & 0x3F);
            d->least = 0x80, d->most = 0xBF;
            if (--d->wanted == 0) out[n++] = d->value;
            return n;
        }
        d->wanted = 0;
        out[n++] = REPLACEMENT;
    }
    d->least = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80;
    d->most = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF;
    if (byte < 0x80) out[n++] = byte;
    else if (byte >= 0xC2 && byte < 0xE0) d->value = byte & 0x1F, d->wanted = 1;
    else if (byte >= 0xE0 && byte < 0xF0) d->value = byte & 0x0F, d->wanted = 2;
    else if (byte >= 0xF0 && byte < 0xF5) d->value = byte & 0x07, d->wanted = 3;
    else out[n++] = REPLACEMENT;
    return n;
}

/* The character that ends with the text. */
static int decode_end(Decoder *d, character *out) {
    if (!d->wanted) return 0;
    d->wanted = 0;
    *out = REPLACEMENT;
    return 1;
}

/* The bytes of a character, four at most; returns how many. */
static int encode(character c, unsigned char *out) {
    if (c < 0x80) return out[0] = (unsigned char)c, 1;
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
    out[0] = (unsigned char)(first[more] | c >> (6 * more));
    for (int i = 1; i <= more; i++) out[i] = (unsigned char)(0x80 | (c >> (6 * (more - i)) & 0x3F));
    return more + 1;
}
