/* The tiles of AMX as Intel's manual defines them (volume 2, "Intel AMX Instruction Set Reference"), for CPUs without them.

   It shares no code with mlc. `fault` says what an instruction did that the manual calls undefined, or that faults. */

#include <math.h>
#include <stdint.h>
#include <string.h>

static struct {
    int configured;
    int rows[8], bytes[8];
    unsigned char data[8][16][64];
} state;

/* How often registers were configured, and released; what the system answers; the first fault. */
int configured, released, answer;
const char *fault = "";

int32_t mlc_prepare_matrices(void) { return answer; }

static int require(int holds, const char *what) {
    if (!holds && !*fault) fault = what;
    return holds;
}

static int check(int tile) {
    return require(state.configured, "a tile is used before ldtilecfg") &&
           require(tile >= 0 && tile < 8 && state.rows[tile] && state.bytes[tile], "a tile without a size is used");
}

void tiles_ldtilecfg(const unsigned char *memory) {
    require(memory[0] == 1 && memory[1] == 0, "the palette is not 1");
    for (int i = 2; i < 16; i++) require(memory[i] == 0, "a reserved byte is not 0");
    for (int i = 0; i < 16; i++) {
        int bytes = memory[16 + 2 * i] | memory[17 + 2 * i] << 8, rows = memory[48 + i];
        if (!require(bytes <= 64 && rows <= 16 && !bytes == !rows && (i < 8 || !rows), "a tile is too large")) return;
        if (i < 8) state.rows[i] = rows, state.bytes[i] = bytes;
    }
    memset(state.data, 0xaa, sizeof state.data); /* the manual says zeros; nothing may rely on it */
    state.configured = 1;
    configured++;
}

void tiles_tilerelease(void) {
    state.configured = 0;
    released++;
}

void tiles_tilezero(signed char t) {
    if (!check(t)) return;
    memset(state.data[(int)t], 0, sizeof state.data[0]);
}

void tiles_tileloadd64(signed char t, const unsigned char *memory, int64_t stride) {
    if (!check(t)) return;
    memset(state.data[(int)t], 0, sizeof state.data[0]);
    for (int row = 0; row < state.rows[(int)t]; row++)
        memcpy(state.data[(int)t][row], memory + row * stride, (size_t)state.bytes[(int)t]);
}

void tiles_tilestored64(signed char t, unsigned char *memory, int64_t stride) {
    if (!check(t)) return;
    for (int row = 0; row < state.rows[(int)t]; row++)
        memcpy(memory + row * stride, state.data[(int)t][row], (size_t)state.bytes[(int)t]);
}

static int check_product(int c, int a, int b) {
    return check(a) && check(b) && check(c) && require(a != b && b != c && a != c, "a product names a tile twice") &&
           require(state.rows[a] == state.rows[c], "rows of the first tile and the sums differ") &&
           require(state.bytes[b] == state.bytes[c], "columns of the second tile and the sums differ") &&
           require(state.bytes[a] == 4 * state.rows[b], "the tiles differ along the reduction");
}

static int64_t number(int tile, int row, int byte, int is_signed) {
    unsigned char value = state.data[tile][row][byte];
    return is_signed ? (signed char)value : value;
}

static void products_of_bytes(int c, int a, int b, int a_signed, int b_signed) {
    if (!check_product(c, a, b)) return;
    for (int m = 0; m < state.rows[c]; m++)
        for (int n = 0; n < state.bytes[c] / 4; n++) {
            uint32_t sum;
            memcpy(&sum, &state.data[c][m][4 * n], 4);
            for (int k = 0; k < state.bytes[a]; k++)
                sum += (uint32_t)(number(a, m, k, a_signed) * number(b, k / 4, 4 * n + k % 4, b_signed));
            memcpy(&state.data[c][m][4 * n], &sum, 4);
        }
}

void tiles_tdpbusd(signed char c, signed char a, signed char b) { products_of_bytes(c, a, b, 0, 1); }
void tiles_tdpbsud(signed char c, signed char a, signed char b) { products_of_bytes(c, a, b, 1, 0); }
void tiles_tdpbssd(signed char c, signed char a, signed char b) { products_of_bytes(c, a, b, 1, 1); }
void tiles_tdpbuud(signed char c, signed char a, signed char b) { products_of_bytes(c, a, b, 0, 0); }

static float half(int tile, int row, int pair) {
    uint16_t bits;
    memcpy(&bits, &state.data[tile][row][2 * pair], 2);
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, 4);
    return value;
}

void tiles_tdpbf16ps(signed char c, signed char a, signed char b) {
    if (!check_product(c, a, b)) return;
    for (int m = 0; m < state.rows[(int)c]; m++)
        for (int n = 0; n < state.bytes[(int)c] / 4; n++) {
            float sum;
            memcpy(&sum, &state.data[(int)c][m][4 * n], 4);
            for (int k = 0; k < state.bytes[(int)a] / 4; k++) /* pairs: the first, then the second number */
                for (int i = 0; i < 2; i++) sum = fmaf(half(a, m, 2 * k + i), half(b, k, 2 * n + i), sum);
            memcpy(&state.data[(int)c][m][4 * n], &sum, 4);
        }
}
