#include "report/report.h"

#include <string.h>

#include "base/error.h"
#include "base/handle.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/stream.h"
#include "report/chart.h"

static const char handle_kind[] = "report";

inco_report *inco_report_new(const char *title, const char *subtitle) {
    inco_report *r = HANDLE(inco_report, handle_kind);
    if (!r) return NULL;
    r->title = memory_text(title ? title : "");
    r->subtitle = memory_text(subtitle ? subtitle : "");
    if (r->title && r->subtitle) return r;
    inco_report_free(r);
    return NULL;
}

void inco_report_free(inco_report *r) {
    if (!handle_end(r, handle_kind)) return;
    for (int i = 0; i < r->figure_count; i++) {
        memory_free(r->figures[i].name);
        writer_free(&r->figures[i].csv);
    }
    memory_free(r->figures);
    writer_free(&r->body);
    memory_free(r->title);
    memory_free(r->subtitle);
    handle_free(r);
}

/* ---- For the files that add parts ---- */

int report_enter(inco_report *r) {
    if (!handle_is(r, handle_kind) || r->trouble) return 0;
    if (decimal_enter(&r->locale) == 0) return 1;
    r->trouble = INCO_ENOMEM;
    return 0;
}

void report_leave(inco_report *r) {
    decimal_leave(&r->locale);
    if (r->body.failed) report_fail(r, INCO_ENOMEM);
    for (int i = 0; i < r->figure_count; i++)
        if (r->figures[i].csv.failed) report_fail(r, INCO_ENOMEM);
}

void report_fail(inco_report *r, int status) {
    if (handle_is(r, handle_kind) && !r->trouble) r->trouble = status;
}

writer *report_new_csv(inco_report *r, const char *name) {
    int good = name && chart_name_is_good(name);
    for (int i = 0; good && i < r->figure_count; i++) good = strcmp(r->figures[i].name, name) != 0;
    if (!good) {
        report_fail(r, INCO_EINVAL);
        return NULL;
    }
    figure *more = memory_grow(r->figures, r->figure_count, r->figure_count + 1, sizeof *more);
    char *copy = memory_text(name);
    if (more) r->figures = more;
    if (!more || !copy) {
        memory_free(copy);
        report_fail(r, INCO_ENOMEM);
        return NULL;
    }
    r->figures[r->figure_count] = (figure){.name = copy};
    return &r->figures[r->figure_count++].csv;
}

void report_close_grid(inco_report *r) {
    if (r->in_grid) writer_put(&r->body, "</div>\n");
    r->in_grid = 0;
}

void report_element(writer *w, const char *tag, const char *css, const char *text) {
    if (!text || !*text) return;
    writer_format(w, *css ? "<%s class=%s>" : "<%s>", tag, css);
    writer_escaped(w, text);
    writer_format(w, "</%s>\n", tag);
}

/* ---- Sections and facts ---- */

void inco_report_section(inco_report *r, const char *title, const char *text) {
    if (!report_enter(r)) return;
    report_close_grid(r);
    if (r->in_section) writer_put(&r->body, "</section>\n");
    writer_put(&r->body, "<section>\n");
    report_element(&r->body, "h2", "", title);
    report_element(&r->body, "p", "intro", text);
    r->in_section = 1;
    report_leave(r);
}

static int lists_are_good(inco_report *r, const char *const *names, const char *const *values, int count) {
    if (count <= 0 || (names && values)) return 1;
    report_fail(r, INCO_EINVAL);
    return 0;
}

void inco_report_facts(inco_report *r, const char *const *names, const char *const *values, const char *const *notes,
                       const char *kinds, int count) {
    if (!lists_are_good(r, names, values, count) || !report_enter(r)) return;
    report_close_grid(r);
    writer_put(&r->body, "<dl class=facts>\n");
    for (int i = 0; i < count; i++) {
        const int code = kinds && kinds[i] == 'c';
        writer_put(&r->body, code ? "<div class=wide>" : "<div>");
        report_element(&r->body, "dt", "", names[i]);
        writer_put(&r->body, code ? "<dd class=code>" : "<dd>");
        writer_escaped(&r->body, values[i]);
        report_element(&r->body, "small", "", notes ? notes[i] : NULL);
        writer_put(&r->body, "</dd></div>\n");
    }
    writer_put(&r->body, "</dl>\n");
    report_leave(r);
}

void inco_report_headlines(inco_report *r, const char *const *names, const char *const *values,
                           const char *const *notes, int count) {
    if (!lists_are_good(r, names, values, count) || !report_enter(r)) return;
    report_close_grid(r);
    writer_put(&r->body, "<ul class=headlines>\n");
    for (int i = 0; i < count; i++) {
        writer_put(&r->body, "<li>");
        report_element(&r->body, "span", "name", names[i]);
        report_element(&r->body, "strong", "", values[i]);
        report_element(&r->body, "small", "", notes ? notes[i] : NULL);
        writer_put(&r->body, "</li>\n");
    }
    writer_put(&r->body, "</ul>\n");
    report_leave(r);
}

/* ---- Charts ---- */

void inco_report_chart(inco_report *r, const inco_chart *c) {
    if (!report_enter(r)) return;
    const int status = chart_check(c);
    if (status < 0) report_fail(r, status);
    writer *csv = status < 0 ? NULL : report_new_csv(r, c->id), *w = &r->body;
    if (!csv) goto done;
    chart_csv(csv, c);
    if (!r->in_grid) writer_put(w, "<div class=figures>\n");
    r->in_grid = 1;
    writer_format(w, "<figure class=chart id=%.100s tabindex=0>\n", c->id);
    report_element(w, "h3", "", c->title);
    chart_draw(w, c, &chart_wide);
    chart_draw(w, c, &chart_narrow);
    report_element(w, "figcaption", "", c->caption);
    writer_put(w, "<details><summary>Numbers</summary><div class=scroll><table>\n");
    chart_rows(w, c);
    writer_put(w, "</table></div></details>\n</figure>\n");
done:
    report_leave(r);
}

void report_take_chart(inco_report *r, inco_chart *chart) {
    if (chart)
        inco_report_chart(r, chart);
    else
        report_fail(r, INCO_ENOMEM);
    inco_chart_free(chart);
}

/* ---- Tables ---- */

static void add_cell(writer *w, char kind, const char *text) {
    if (kind == 'v') {
        static const char *const known[] = {"holds", "partly", "fails"};
        const char *css = "other";
        for (int i = 0; i < 3; i++)
            if (text && !strcmp(text, known[i])) css = known[i];
        writer_format(w, "<td><b class=\"verdict %s\">", css);
        writer_escaped(w, text);
        writer_put(w, "</b>");
        return;
    }
    const int sentence = text && strlen(text) > 60; /* wide enough to be readable on a phone */
    writer_put(w, kind == 'r' ? "<td class=r>" : sentence ? "<td class=long>" : "<td>");
    writer_escaped(w, text);
}

static void add_table(inco_report *r, const inco_table *t) {
    writer *w = &r->body, *csv;
    if (t->columns < 1 || t->rows < 0 || t->rows > INT32_MAX / t->columns || !t->header || (t->rows > 0 && !t->cells) ||
        !t->kinds || (int64_t)strlen(t->kinds) != t->columns) {
        report_fail(r, INCO_EINVAL);
        return;
    }
    if (!(csv = report_new_csv(r, t->id))) return;
    report_close_grid(r);
    writer_format(w, "<figure class=table id=%.100s>\n", t->id);
    report_element(w, "h3", "", t->title);
    writer_put(w, "<div class=scroll><table>\n<tr>");
    for (int j = 0; j < t->columns; j++) {
        writer_put(w, t->kinds[j] == 'r' ? "<th class=r>" : "<th>");
        writer_escaped(w, t->header[j]);
        writer_put(csv, j ? "," : "");
        writer_cell(csv, t->header[j]);
    }
    for (int i = 0; i < t->rows * t->columns; i++) {
        const int first = i % t->columns == 0;
        if (first) writer_put(w, "\n<tr>");
        add_cell(w, t->kinds[i % t->columns], t->cells[i]);
        writer_put(csv, first ? "\n" : ",");
        writer_cell(csv, t->cells[i] ? t->cells[i] : "");
    }
    writer_put(csv, "\n");
    writer_put(w, "\n</table></div>\n");
    report_element(w, "figcaption", "", t->caption);
    writer_put(w, "</figure>\n");
}

void inco_report_table(inco_report *r, const inco_table *table) {
    inco_table own;
    if (!report_enter(r)) return;
    if (SIZED_TAKE(inco_table, &own, table, NULL) < 0)
        report_fail(r, INCO_EINVAL);
    else
        add_table(r, &own);
    report_leave(r);
}

/* ---- Writing ---- */

static int send(const inco_stream *stream, const writer *w, inco_error *error) {
    if (w->failed) return error_no_memory(error);
    if (!w->used || stream->write(stream->self, w->text, w->used) == 0) return INCO_OK;
    return error_set(error, INCO_EIO, "the report could not be written");
}

static void write_head(writer *w, const inco_report *r) {
    writer_put(w, "<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n"
                  "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=color-scheme content=\"light dark\">\n"
                  "<link rel=icon href=\"data:,\">\n");
    report_element(w, "title", "", r->title);
    writer_put(w, "<style>\n");
    writer_put(w, report_chart_style);
    writer_put(w, report_style);
    writer_put(w, "</style>\n<body>\n<main>\n<header>\n");
    report_element(w, "h1", "", r->title);
    report_element(w, "p", "lead", r->subtitle);
    writer_put(w, "</header>\n");
}

static void write_foot(writer *w, const inco_report *r) {
    writer_put(w, r->in_grid ? "</div>\n" : "");
    writer_put(w, r->in_section ? "</section>\n" : "");
    writer_format(w,
                  "<footer>Made by inco %s. This file is self-contained.</footer>\n"
                  "</main>\n",
                  inco_version());
    writer_put(w, "<script>\n");
    writer_put(w, report_script);
    writer_put(w, "</script>\n</body>\n</html>\n");
}

static int check_report(const inco_report *r, inco_error *error) {
    int status = handle_need(r, handle_kind, error);
    if (status < 0) return status;
    if (r->trouble == INCO_ENOMEM) return error_no_memory(error);
    if (r->trouble) return error_set(error, r->trouble, "a figure of the report has an invalid name, size or data");
    return INCO_OK;
}

int inco_report_write(const inco_report *r, const inco_stream *given, inco_error *error) {
    writer head = {0}, foot = {0};
    inco_stream stream;
    int status;
    TRY(stream_take_writer(&stream, given, error));
    TRY(check_report(r, error));
    write_head(&head, r);
    write_foot(&foot, r);
    TRY(send(&stream, &head, error));
    TRY(send(&stream, &r->body, error));
    TRY(send(&stream, &foot, error));
done:
    writer_free(&head);
    writer_free(&foot);
    return status;
}

const char *inco_report_figure(const inco_report *r, int i) {
    return handle_is(r, handle_kind) && i >= 0 && i < r->figure_count ? r->figures[i].name : NULL;
}

int inco_report_write_csv(const inco_report *r, int i, const inco_stream *given, inco_error *error) {
    inco_stream stream;
    int status = check_report(r, error);
    if (status >= 0) status = stream_take_writer(&stream, given, error);
    if (status < 0) return status;
    if (!inco_report_figure(r, i)) return error_set(error, INCO_EINVAL, "the report has no figure %d", i);
    return send(&stream, &r->figures[i].csv, error);
}

int inco_chart_write(const inco_chart *chart, const inco_stream *given, inco_error *error) {
    decimal_locale locale;
    writer w = {0};
    const int trouble = chart_check(chart);
    inco_stream stream;
    if (stream_take_writer(&stream, given, error) < 0) return INCO_EINVAL;
    if (trouble == INCO_ENOMEM) return error_no_memory(error);
    if (trouble) return error_set(error, trouble, "the chart has an invalid name, size or data");
    if (decimal_enter(&locale) < 0) return error_no_memory(error);
    chart_draw(&w, chart, &chart_wide);
    decimal_leave(&locale);
    const size_t inside = w.used ? (size_t)(strchr(w.text, '>') - w.text) + 1 : 0;
    writer whole = {0};
    writer_bytes(&whole, w.used ? w.text : "", inside);
    writer_put(&whole, "<style>\n");
    writer_put(&whole, report_chart_style);
    writer_put(&whole, "</style>");
    writer_bytes(&whole, w.used ? w.text + inside : "", w.used - inside);
    whole.failed = whole.failed || w.failed;
    int status = send(&stream, &whole, error);
    writer_free(&w);
    writer_free(&whole);
    return status;
}
