/* The next token, from logits: what generation/sampling.py computes, in the same order.

   The compiler defines VOCABULARY, how many logits there are. */

typedef struct {
    double temperature, top_p, min_p, repetition, frequency, presence;
    uint64_t top_k, seed;
} Sampling;

/* ---- chance: PCG64 as NumPy has it (O'Neill, "PCG", 2014), which starts with the numbers of a seed sequence ---- */

typedef unsigned __int128 uint128;

static uint128 chance_state, chance_step;

static void step_chance(void) {
    chance_state = chance_state * ((uint128)0x2360ED051FC65DA4u << 64 | 0x4385DF649FCCF645u) + chance_step;
}

/* A number from 0 to 1, without 1. */
static double draw(void) {
    step_chance();
    uint64_t folded = (uint64_t)(chance_state >> 64) ^ (uint64_t)chance_state;
    int turn = (int)(chance_state >> 122);
    folded = folded >> turn | folded << (-turn & 63);
    return (double)(folded >> 11) * 0x1p-53;
}

static uint32_t hashed(uint32_t value, uint32_t *constant, uint32_t factor) {
    value ^= *constant;
    *constant *= factor;
    value *= *constant;
    return value ^ value >> 16;
}

static void seed_chance(uint64_t seed) {
    uint32_t pool[4], constant = 0x43B0D7E5u, words[8];
    for (int i = 0; i < 4; i++) pool[i] = hashed(i < 2 ? (uint32_t)(seed >> (32 * i)) : 0, &constant, 0x931E8875u);
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++) {
            if (from == to) continue;
            uint32_t mixed = 0xCA01F9DDu * pool[to] - 0x4973F715u * hashed(pool[from], &constant, 0x931E8875u);
            pool[to] = mixed ^ mixed >> 16;
        }
    constant = 0x8B51F9DDu;
    for (int i = 0; i < 8; i++) words[i] = hashed(pool[i % 4], &constant, 0x58F38DEDu);
    uint128 halves[4], start;
    for (int i = 0; i < 4; i++) halves[i] = (uint64_t)words[2 * i + 1] << 32 | words[2 * i];
    start = halves[0] << 64 | halves[1];
    chance_step = (halves[2] << 64 | halves[3]) << 1 | 1;
    chance_state = 0;
    step_chance();
    chance_state += start;
    step_chance();
}

/* ---- logits ---- */

static uint32_t *order, *times;
static double *likely;

static void prepare_sampling(uint64_t seed) {
    order = allocate(sizeof *order * VOCABULARY);
    times = allocate(sizeof *times * VOCABULARY);
    likely = allocate(sizeof *likely * VOCABULARY);
    seed_chance(seed);
}

/* e^x of x <= 0, within two units of the last place: 2^n e^r, and r below a third by its series. */
static double exponential(double x) {
    if (!(x > -708.0)) return 0;
    double n = (double)(int64_t)(x * 0x1.71547652b82fep+0 - 0.5);
    double r = (x - n * 0x1.62e42fefa0000p-1) - n * 0x1.cf79abc9e3b3ap-40, sum = 1;
    for (int i = 14; i > 0; i--) sum = 1 + sum * r / i;
    union {
        uint64_t bits;
        double value;
    } power = {(uint64_t)(1023 + (int64_t)n) << 52};
    return sum * power.value;
}

static void penalize(float *logits, const Sampling *how, const int32_t *before, uint64_t seen, const int32_t *written,
                     uint64_t count) {
    float factor = (float)how->repetition;
    for (uint64_t i = 0; i < seen && how->repetition != 1; i++) {
        float *logit = &logits[before[i]];
        if (!times[before[i]]++) *logit = *logit > 0 ? *logit / factor : *logit * factor;
    }
    for (uint64_t i = 0; i < seen; i++) times[before[i]] = 0;
    if (how->frequency == 0 && how->presence == 0) return;
    for (uint64_t i = 0; i < count; i++) times[written[i]]++;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t *found = &times[written[i]];
        if (*found) logits[written[i]] -= (float)(how->frequency * *found + how->presence);
        *found = 0;
    }
}

/* The greater logit comes first; of equal ones, that of the lower token. */
static int comes_first(const float *logits, uint32_t a, uint32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
}

static void sift(const float *logits, uint64_t i, uint64_t size) {
    uint32_t moved = order[i];
    for (uint64_t child; (child = 2 * i + 1) < size; i = child) {
        if (child + 1 < size && comes_first(logits, order[child + 1], order[child])) child++;
        if (!comes_first(logits, order[child], moved)) break;
        order[i] = order[child];
    }
    order[i] = moved;
}

/* The most likely tokens at the end of `order`, the best one last. */
static void select_best(const float *logits, uint64_t count) {
    for (uint32_t i = 0; i < VOCABULARY; i++) order[i] = i;
    for (uint64_t i = VOCABULARY / 2; i-- > 0;) sift(logits, i, VOCABULARY);
    for (uint64_t left = VOCABULARY; left-- > VOCABULARY - count;) {
        uint32_t best = order[0];
        order[0] = order[left];
        order[left] = best;
        sift(logits, 0, left);
    }
}

/* The next token; `logits` are changed. `before` are the tokens that the model has read, the last of them `written`. */
static int32_t next_token(float *logits, const Sampling *how, const int32_t *before, uint64_t seen,
                          const int32_t *written, uint64_t count) {
    penalize(logits, how, before, seen, written, count);
    if (how->temperature == 0) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < VOCABULARY; i++)
            if (logits[i] > logits[best]) best = i;
        return (int32_t)best;
    }
    uint64_t most = how->top_k && how->top_k < VOCABULARY ? how->top_k : VOCABULARY, kept = 0;
    select_best(logits, most);
    const uint32_t *best = order + VOCABULARY - 1;
    double sum = 0, before_it = 0, all = 0, until = 0;
    for (uint64_t i = 0; i < most; i++) {
        likely[i] = exponential((double)(logits[*(best - i)] - logits[*best]) / how->temperature);
        sum += likely[i];
    }
    double least = how->min_p * (likely[0] / sum);
    for (uint64_t i = 0; i < most; i++) {
        double each = likely[i] / sum;
        if (i && (before_it >= how->top_p || each < least || each == 0)) break;
        before_it += each;
        all += likely[kept++] = each;
    }
    double chosen = draw();
    for (uint64_t i = 0; i + 1 < kept; i++) {
        until += likely[i] / all;
        if (until > chosen) return (int32_t)*(best - i);
    }
    return (int32_t)*(best - (kept - 1));
}
