#include "facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 3000 }; /* bytes of a value or note */

static char *compose(facts *f, const char *format, va_list args) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) vfprintf(out, format, args);
    if (out && !fclose(out)) return text;
    free(text);
    f->failed = 1;
    return NULL;
}

/* A command line may name thousands of files: its beginning is enough. Never splits a character. */
static void shorten(char *text) {
    static const char more[] = " …";
    size_t end = LONGEST;
    if (!text || strlen(text) <= LONGEST + sizeof more) return;
    while (end > 0 && (text[end] & 0xc0) == 0x80) end--;
    strcpy(text + end, more);
}

static void keep(facts *f, const char *name, char *value) {
    shorten(value);
    if (!value || !*value || f->count == FACTS_MAX) {
        free(value);
        return;
    }
    f->names[f->count] = name;
    f->values[f->count] = value;
    f->kinds[f->count++] = 't';
}

void facts_add(facts *f, const char *name, const char *format, ...) {
    va_list args;
    va_start(args, format);
    keep(f, name, compose(f, format, args));
    va_end(args);
}

void facts_note(facts *f, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *note = compose(f, format, args);
    va_end(args);
    shorten(note);
    if (!f->count || f->notes[f->count - 1])
        free(note);
    else
        f->notes[f->count - 1] = note;
}

void facts_code(facts *f) {
    if (f->count) f->kinds[f->count - 1] = 'c';
}

/* Quoted if the shell needs it. */
static void put_word(FILE *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
    const int quote = !*word || strspn(word, plain) != strlen(word);
    if (quote) fputc('\'', out);
    for (; *word; word++) {
        if (*word == '\'') fputs("'\\'", out);
        fputc(*word, out);
    }
    if (quote) fputc('\'', out);
}

char *facts_join(const char *const *words, int count) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; out && i < count; i++) {
        if (i) fputc(' ', out);
        put_word(out, words[i]);
    }
    if (out && !fclose(out)) return text;
    free(text);
    return NULL;
}

void facts_command_line(facts *f, const run *r) {
    char *line = facts_join((const char *const *)r->argv, r->argc);
    f->failed = f->failed || !line;
    keep(f, "Command", line);
    facts_code(f);
}

void facts_machine(facts *f, int threads, const char *isa, const char *blas) {
    const size_t name = strcspn(blas, " "), length = name + (blas[name] ? 1 + strcspn(blas + name + 1, " ") : 0);
    facts_add(f, "Machine", "%d thread%s, %s, %.*s", threads, threads == 1 ? "" : "s", isa, (int)length, blas);
}

void facts_free(facts *f) {
    for (int i = 0; i < f->count; i++) {
        free(f->values[i]);
        free(f->notes[i]);
    }
    *f = (facts){.count = 0};
}
