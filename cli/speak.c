#include "speak.h"

#include <stdio.h>
#include <string.h>

#include "table.h"

/* Length of the quoted name of an option at the beginning of the text; 0 if there is none. */
static size_t option_in_quotes(const char *text) {
    const size_t length = *text == '\'' ? strcspn(text + 1, "'") : 0;
    return length && text[length + 1] && table_find(text + 1, length) ? length : 0;
}

static size_t begins_with(const char *text, const char *const *words) {
    for (; *words; words++)
        if (!strncmp(text, *words, strlen(*words))) return strlen(*words);
    return 0;
}

/* Length of a quoted value that needs no quotes, at the beginning of the text; else 0. */
static size_t plain_in_quotes(const char *text) {
    const size_t length = *text == '\'' ? strspn(text + 1, "abcdefghijklmnopqrstuvwxyz0123456789.-|") : 0;
    return length && text[length + 1] == '\'' ? length : 0;
}

static void copy(char **to, const char **from, size_t count) {
    memmove(*to, *from, count);
    *to += count;
    *from += count;
}

/* Rewrites 'gamma', and the value after " = ". The text never grows, so it is rewritten in place. */
static void name_option(char **to, const char **from, size_t length) {
    *(*to)++ = '-';
    *(*to)++ = '-';
    *from += 1;
    copy(to, from, length);
    *from += 1;
    if (strncmp(*from, " = ", 3)) return;
    *(*to)++ = ' ';
    *from += 3;
    const size_t plain = plain_in_quotes(*from);
    if (!plain) return;
    *from += 1;
    copy(to, from, plain);
    *from += 1;
}

void speak_options(char *text) {
    static const char *const starts[] = {"option ", "options ", NULL}, *const links[] = {", ", " and ", " or ", NULL};
    const char *from = text;
    char *to = text;
    while (*from) {
        size_t skip = begins_with(from, starts), length = skip ? option_in_quotes(from + skip) : 0;
        if (!length) {
            *to++ = *from++;
            continue;
        }
        from += skip;
        name_option(&to, &from, length);
        while ((skip = begins_with(from, links)) && (length = option_in_quotes(from + skip))) {
            copy(&to, &from, skip);
            name_option(&to, &from, length);
        }
    }
    *to = 0;
}
