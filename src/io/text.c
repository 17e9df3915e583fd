#include "io/text.h"

#include "base/utf8.h"

enum { REPLACEMENT = 0xFFFD };

int64_t text_code_points(const char *text, uint32_t *points) {
    const unsigned char *s = (const unsigned char *)text;
    int64_t count = 0;
    while (*s) {
        const size_t length = utf8_length(s);
        uint32_t point = length == 1 ? s[0] : s[0] & (0x7Fu >> length);
        for (size_t i = 1; i < length; i++) point = point << 6 | (s[i] & 0x3F);
        points[count++] = length ? point : REPLACEMENT;
        s += length ? length : 1;
    }
    return count;
}
