#include "report/writer.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/utf8.h"

enum { FIRST_CAPACITY = 4096, FORMAT_MAX = 400 };

void writer_bytes(writer *w, const char *bytes, size_t count) {
    if (w->failed) return;
    if (count >= w->capacity - w->used) {
        size_t capacity = w->capacity ? w->capacity : FIRST_CAPACITY;
        while (capacity - w->used <= count) capacity *= 2;
        char *larger = memory_grow(w->text, (int64_t)w->used, (int64_t)capacity, 1);
        w->failed = !larger;
        if (!larger) return;
        w->text = larger;
        w->capacity = capacity;
    }
    memcpy(w->text + w->used, bytes, count);
    w->used += count;
    w->text[w->used] = 0;
}

void writer_put(writer *w, const char *text) {
    writer_bytes(w, text, strlen(text));
}

void writer_format(writer *w, const char *format, ...) {
    char text[FORMAT_MAX];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0 || length >= (int)sizeof text)
        w->failed = 1;
    else
        writer_bytes(w, text, (size_t)length);
}

/* ---- Text from outside ---- */

static const char *entity(unsigned char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return c < 0x20 || c == 0x7f ? " " : NULL;
    }
}

void writer_escaped(writer *w, const char *text) {
    const unsigned char *s = (const unsigned char *)(text ? text : "");
    while (*s) {
        const size_t length = utf8_length(s);
        const char *instead = length ? entity(*s) : "\xef\xbf\xbd";
        if (instead)
            writer_put(w, instead);
        else
            writer_bytes(w, (const char *)s, length);
        s += length ? length : 1;
    }
}

void writer_cell(writer *w, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        writer_put(w, text);
        return;
    }
    writer_put(w, "\"");
    for (; *text; text++) {
        if (*text == '"') writer_put(w, "\"");
        writer_bytes(w, text, 1);
    }
    writer_put(w, "\"");
}

/* ---- Numbers ---- */

void writer_exact(writer *w, double value) {
    char text[DECIMAL_TEXT];
    if (isnan(value)) return;
    decimal_text(text, value);
    writer_put(w, text);
}

void writer_place(writer *w, double value) {
    const double tenths = round(10 * value);
    if (fmod(tenths, 10) == 0)
        writer_format(w, "%.0f", tenths / 10 + 0.0);
    else
        writer_format(w, "%.1f", tenths / 10);
}

void writer_free(writer *w) {
    memory_free(w->text);
    *w = (writer){0};
}
