// Everyday work for a compiler: it is built at several levels, with other data each time (SEED), and gives a checksum. With NOW it
// reads how many cycles have passed, and goes on by that: what it does then depends on its own time.

typedef unsigned int u32;
typedef unsigned long long u64;

enum { COUNT = 96, SIDE = 7, TEXT = 80 };

volatile u32 interrupts;
static u32 state = SEED;
static u32 numbers[COUNT], table[256], product[SIDE][SIDE];
static unsigned char text[2][TEXT];

static u32 now(void) {
#ifdef NOW
    u32 cycles;
    __asm__ volatile(NOW : "=r"(cycles));
    return cycles;
#else
    return state >> 7;
#endif
}

static u32 next(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static void sort(u32 *first, int count) {
    while (count > 1) {
        u32 pivot = first[(count - 1) / 2];
        int low = 0, high = count - 1;
        for (;;) {
            while (first[low] < pivot) low++;
            while (first[high] > pivot) high--;
            if (low >= high) break;
            u32 kept = first[low];
            first[low++] = first[high];
            first[high--] = kept;
        }
        sort(first, high + 1);
        first += high + 1;
        count -= high + 1;
    }
}

static u32 sorted(void) {
    u32 sum = 0;
    for (int i = 0; i < COUNT; i++) numbers[i] = next();
    sort(numbers, COUNT);
    for (int i = 1; i < COUNT; i++) {
        if (numbers[i - 1] > numbers[i]) return 0xdead;
        sum = sum * 31 + numbers[i];
    }
    return sum;
}

static u32 checksum(void) {
    u32 crc = ~0u;
    for (u32 i = 0; i < 256; i++) {
        u32 value = i;
        for (int bit = 0; bit < 8; bit++) value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
        table[i] = value;
    }
    const unsigned char *bytes = (const unsigned char *)numbers;
    for (u32 i = 0; i < sizeof numbers; i++) crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
    return crc;
}

static u32 matrices(void) {
    u32 sum = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            u32 cell = 0;
            for (int k = 0; k < SIDE; k++) cell += numbers[i * SIDE + k] * numbers[k * SIDE + j];
            product[i][j] = cell;
            sum ^= cell + (u32)(i - j);
        }
    return sum;
}

static u32 wide(void) {
    u64 sum = 1;
    for (int i = 0; i < 12; i++) {
        u64 big = (u64)numbers[i] << 21 | numbers[i + 1];
        u32 divisor = next() >> (next() & 31) | 1;
        sum += big * divisor + big / divisor - big % (divisor ^ 5);
        sum ^= (long long)big >> (divisor & 63);
        sum += (u32)((int)numbers[i] / ((int)divisor | 1)) + numbers[i] % divisor;
    }
    return (u32)(sum ^ sum >> 32);
}

static u32 words(void) {
    u32 sum = 0;
    for (int i = 0; i < TEXT - 1; i++) text[0][i] = (unsigned char)('a' + next() % 26);
    for (int shift = 0; shift < 4; shift++) {
        int i = 0;
        do text[1][i + shift] = text[0][i];
        while (text[0][i++] && i + shift < TEXT);
        short *halves = (short *)text[1];
        for (int j = 0; j < TEXT / 2; j++) sum = (sum << 3 | sum >> 29) + (u32)halves[j];
    }
    return sum;
}

static u32 add(u32 a, u32 b) { return a + b; }
static u32 mix(u32 a, u32 b) { return a ^ b << (a & 31); }
static u32 least(u32 a, u32 b) { return (int)a < (int)b ? a : b; }

static u32 dispatched(void) {
    static u32 (*const acts[])(u32, u32) = {add, mix, least};
    u32 sum = 0;
    for (int i = 0; i < 40; i++) {
        u32 by = next();
        sum = acts[by % 3](sum, by);
        switch (by >> 5 & 7) {
        case 0: sum += 3; break;
        case 1: sum = ~sum; break;
        case 2: sum >>= 1; break;
        case 3: sum *= 5; break;
        case 4: sum -= by; break;
        case 6: sum |= 0x10; break;
        default: sum ^= 0x55;
        }
    }
    return sum;
}

static u32 depth(u32 n) { return n < 2 ? n + (now() & 1) : depth(n - 1) + depth(n - 2); }

struct pair {
    u32 left, right;
    signed char small;
};

static struct pair turned(struct pair pair, u32 by) {
    struct pair other = {pair.right + by, pair.left, (signed char)(pair.small - by)};
    return other;
}

static u32 pairs(void) {
    struct pair pair = {1, 2, 3};
    for (u32 i = 0; i < 20; i++) pair = turned(pair, now() & 0xff);
    return pair.left * 3 + pair.right + (u32)pair.small;
}

u32 work(void) {
    u32 sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        u32 (*const parts[])(void) = {sorted, checksum, matrices, wide, words, dispatched, pairs};
        sum = sum * 17 + parts[(now() ^ next()) % 7]();
        sum ^= depth(now() & 7);
    }
    return sum;
}
