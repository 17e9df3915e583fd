#include "io/text.h"

enum { REPLACEMENT = 0xFFFD };

/* Length of the sequence that this byte begins; 0 if it is not a first byte. */
static int sequence_length(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return 2;
    if (first >= 0xE0 && first < 0xF0) return 3;
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

/* Code point of a sequence; 0 for overlong forms, surrogates and truncated sequences. */
static uint32_t decode(const unsigned char *s, int length) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t point = length == 1 ? s[0] : s[0] & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        point = point << 6 | (s[i] & 0x3F);
    }
    return point < least[length] || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000) ? 0 : point;
}

int64_t text_code_points(const char *text, uint32_t *points) {
    const unsigned char *s = (const unsigned char *)text;
    int64_t count = 0;
    while (*s) {
        int length = sequence_length(*s);
        uint32_t point = length ? decode(s, length) : 0;
        points[count++] = point ? point : REPLACEMENT;
        s += point ? length : 1;
    }
    return count;
}
