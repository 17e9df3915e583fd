#include "report/atoms.h"

#include <math.h>
#include <stdio.h>

#include "base/limit.h"
#include "base/range.h"
#include "mat/mat.h"

/* POINTS: a curve of more samples is drawn by the minimum and maximum of each piece. FIRST: atoms shown at once.
 * BUDGET: bytes for the pictures, so that the report stays below a megabyte. */
enum { POINTS = 160, HALF = 24, FIRST = 96, BUDGET = 800000, GREYS = 7 };

int atoms_are_patches(const atom_view *v) {
    return v->patch_rows > 1 && v->patch_cols > 1 && limit_product(v->patch_rows, v->patch_cols) == v->dictionary->rows;
}

static double largest(const inco_mat *d, int64_t j) {
    double maximum = 0;
    for (int64_t i = 0; i < d->rows; i++) maximum = fmax(maximum, fabs(mat_get(d, i, j)));
    return maximum > 0 ? maximum : 1;
}

/* ---- Curves ---- */

/* A curve in integer steps on a grid POINTS wide and 2 HALF high: M0 y, then relative steps between rounded
 * positions. */
typedef struct curve {
    writer *w;
    int64_t x, y;
    int begun;
} curve;

static void curve_to(curve *c, int64_t x, double value) {
    const int64_t y = HALF - (int64_t)lround(HALF * value);
    if (!c->begun)
        writer_format(c->w, "M%lld %lldl", (long long)x, (long long)y);
    else
        writer_format(c->w, "%s%lld%s%lld", c->begun > 1 ? " " : "", (long long)(x - c->x), y < c->y ? "" : " ",
                      (long long)(y - c->y));
    *c = (curve){c->w, x, y, c->begun + 1};
}

/* All samples, or the minimum and maximum of each piece, in the order of their positions. */
static void draw_curve(writer *w, const inco_mat *d, int64_t j, double scale) {
    enum { PIECES = POINTS / 2 };
    curve c = {.w = w};
    writer_put(w, "<path d=\"");
    for (int64_t i = 0; d->rows <= POINTS && i < d->rows; i++) curve_to(&c, i, mat_get(d, i, j) * scale);
    for (int64_t k = 0; d->rows > POINTS && k < PIECES; k++) {
        int64_t low = k * d->rows / PIECES, high = low;
        for (int64_t i = low; i < (k + 1) * d->rows / PIECES; i++) {
            if (mat_get(d, i, j) < mat_get(d, low, j)) low = i;
            if (mat_get(d, i, j) > mat_get(d, high, j)) high = i;
        }
        curve_to(&c, 2 * k, mat_get(d, range_min(low, high), j) * scale);
        curve_to(&c, 2 * k + 1, mat_get(d, low < high ? high : low, j) * scale);
    }
    writer_put(w, d->rows > 1 ? "\"/>" : "1 0\"/>");
}

static void open_curves(writer *w, const inco_mat *d) {
    const int64_t width = d->rows <= POINTS ? d->rows - 1 : POINTS - 1;
    writer_format(w, "<svg viewBox=\"0 0 %lld %d\" preserveAspectRatio=none>", (long long)(width > 1 ? width : 1),
                  2 * HALF);
}

/* ---- Patches ---- */

static void put_number(unsigned char *at, int64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * i);
}

/* Three bytes as four letters; the last of them may be padding. */
static void put_base64(writer *w, const unsigned char *bytes, int64_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int64_t i = 0; i < count; i += 3) {
        const int64_t left = count - i;
        const unsigned three = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? (unsigned)bytes[i + 2] : 0);
        char four[4] = {digits[three >> 18], digits[three >> 12 & 63], digits[three >> 6 & 63], digits[three & 63]};
        if (left < 3) four[3] = '=';
        if (left < 2) four[2] = '=';
        writer_bytes(w, four, 4);
    }
}

/* A bitmap of 16 greys, of which 0 to 14 are used: 7 is a value of zero. Headers of 14 and 40 bytes, 16 colours, then
 * the rows from the bottom up, two pixels a byte, padded to four bytes. */
enum { BITMAP_HEAD = 14 + 40 + 64, PATCH_MAX = 64 };

static void fill_bitmap_head(unsigned char *b, int64_t rows, int64_t cols, int64_t stride) {
    b[0] = 'B';
    b[1] = 'M';
    put_number(b + 2, BITMAP_HEAD + rows * stride, 4);
    put_number(b + 10, BITMAP_HEAD, 4);
    put_number(b + 14, 40, 4);
    put_number(b + 18, cols, 4);
    put_number(b + 22, rows, 4);
    put_number(b + 26, 1, 2);
    put_number(b + 28, 4, 2);
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 3; k++) b[54 + 4 * i + k] = (unsigned char)(i < 15 ? (255 * i + 7) / 14 : 255);
}

static void draw_patch(writer *w, const atom_view *v, int64_t j, double scale) {
    unsigned char b[BITMAP_HEAD + PATCH_MAX * PATCH_MAX / 2] = {0};
    const int64_t rows = v->patch_rows, cols = v->patch_cols, stride = (cols + 7) / 8 * 4;
    fill_bitmap_head(b, rows, cols, stride);
    for (int64_t i = 0; i < rows * cols; i++) {
        const int grey = GREYS + (int)lround(GREYS * mat_get(v->dictionary, i, j) * scale);
        const int64_t column = i % cols;
        b[BITMAP_HEAD + (rows - 1 - i / cols) * stride + column / 2] |= (unsigned char)(column % 2 ? grey : grey << 4);
    }
    writer_format(w, "<img alt=\"\" src=\"data:image/bmp;base64,");
    put_base64(w, b, BITMAP_HEAD + rows * stride);
    writer_put(w, "\">");
}

/* ---- A list of atoms ---- */

static int drawn_as_patches(const atom_view *v) {
    return atoms_are_patches(v) && v->patch_rows <= PATCH_MAX && v->patch_cols <= PATCH_MAX;
}

static void open_list(writer *w, const atom_view *v) {
    if (drawn_as_patches(v))
        writer_format(w, "<ul class=atoms style=\"--cell:64px;--shape:%lld/%lld\">\n", (long long)v->patch_cols,
                      (long long)v->patch_rows);
    else
        writer_put(w, "<ul class=atoms style=\"--cell:104px;--high:44px\">\n");
}

static void add_atom(writer *w, const atom_view *v, int64_t j) {
    const double scale = 1 / largest(v->dictionary, j);
    writer_format(w, "<li data-t=\"atom %lld", (long long)j);
    if (v->uses) writer_format(w, ", used by %lld of %lld signals", (long long)v->uses[j], (long long)v->signals);
    writer_put(w, "\">");
    if (drawn_as_patches(v)) {
        draw_patch(w, v, j, scale);
    } else {
        open_curves(w, v->dictionary);
        draw_curve(w, v->dictionary, j, scale);
        writer_put(w, "</svg>");
    }
    writer_format(w, "%lld", (long long)j);
    if (v->uses) writer_format(w, "<span>%lld&times;</span>", (long long)v->uses[j]);
    writer_put(w, "\n");
}

static void write_csv(writer *csv, const atom_view *v, const int64_t *order, int64_t count) {
    const inco_mat *d = v->dictionary;
    writer_put(csv, v->uses ? "atom,uses" : "atom");
    for (int64_t i = 0; i < d->rows; i++) writer_format(csv, ",%lld", (long long)i);
    writer_put(csv, "\n");
    for (int64_t k = 0; k < count; k++) {
        writer_format(csv, "%lld", (long long)order[k]);
        if (v->uses) writer_format(csv, ",%lld", (long long)v->uses[order[k]]);
        for (int64_t i = 0; i < d->rows; i++) {
            writer_put(csv, ",");
            if (d->type == INCO_F32)
                writer_format(csv, "%.9g", mat_get(d, i, order[k]));
            else
                writer_exact(csv, mat_get(d, i, order[k]));
        }
        writer_put(csv, "\n");
    }
}

static int64_t add_list(writer *w, const atom_view *v, const int64_t *order) {
    const size_t start = w->used;
    const int64_t atoms = v->dictionary->cols, more = atoms - FIRST;
    int64_t k = 0;
    open_list(w, v);
    for (; k < atoms && k < FIRST && w->used - start < BUDGET; k++) add_atom(w, v, order[k]);
    writer_put(w, "</ul>\n");
    if (more <= 0 || w->used - start >= BUDGET) return k;
    writer_put(w, "<details class=more><summary>The other atoms</summary>\n");
    open_list(w, v);
    for (; k < atoms && w->used - start < BUDGET && !w->failed; k++) add_atom(w, v, order[k]);
    writer_put(w, "</ul>\n</details>\n");
    return k;
}

int64_t atoms_add(inco_report *r, const atom_view *v, const int64_t *order, const char *caption) {
    writer *csv = report_new_csv(r, "atoms"), *w = &r->body;
    if (!csv) return 0;
    report_close_grid(r);
    writer_put(w, "<figure id=atoms>\n");
    const int64_t shown = add_list(w, v, order);
    write_csv(csv, v, order, shown);
    writer_put(w, "<figcaption>");
    writer_escaped(w, caption);
    if (shown < v->dictionary->cols)
        writer_format(w, " The first %lld of %lld atoms are drawn, to limit the size of the report.", (long long)shown,
                      (long long)v->dictionary->cols);
    writer_put(w, "</figcaption>\n</figure>\n");
    return shown;
}

/* ---- Pairs ---- */

static void add_pair(writer *w, const atom_view *v, const atom_view *others, const atom_pair *p) {
    const inco_mat *d = v->dictionary, *e = others->dictionary;
    const double a = 1 / largest(d, p->first), b = 1 / largest(e, p->second), sign = p->similarity < 0 ? -1 : 1;
    writer_format(w, "<li data-t=\"atoms %lld and %lld, inner product %+.4f\">", (long long)p->first,
                  (long long)p->second, p->similarity);
    if (drawn_as_patches(v)) {
        writer_put(w, "<div class=two>");
        draw_patch(w, v, p->first, a);
        draw_patch(w, others, p->second, sign * b);
        writer_put(w, "</div>");
    } else {
        open_curves(w, d);
        writer_put(w, "<g class=s1>");
        draw_curve(w, d, p->first, a);
        writer_put(w, "</g><g class=s2>");
        draw_curve(w, e, p->second, sign * b);
        writer_put(w, "</g></svg>");
    }
    writer_format(w, "%lld, %lld<span>%+.3f</span>\n", (long long)p->first, (long long)p->second, p->similarity);
}

void atoms_add_pair_table(inco_report *r, const char *const header[3], const atom_pair *pairs, int64_t count,
                          const char *caption) {
    char text[ATOM_PAIRS][3][32];
    const char *cells[3 * ATOM_PAIRS];
    const int64_t rows = count < ATOM_PAIRS ? count : ATOM_PAIRS;
    for (int64_t k = 0; k < rows; k++) {
        snprintf(text[k][0], 32, "%lld", (long long)pairs[k].first);
        snprintf(text[k][1], 32, "%lld", (long long)pairs[k].second);
        snprintf(text[k][2], 32, "%+.4f", pairs[k].similarity);
        for (int i = 0; i < 3; i++) cells[3 * k + i] = text[k][i];
    }
    const inco_table table = {sizeof table, "pairs", "Pairs of atoms, counted from 0", 3, rows, header, cells,
                              "rrr",        caption};
    inco_report_table(r, &table);
}

void atoms_add_pairs(inco_report *r, const atom_view *v, const atom_view *others, const atom_pair *pairs, int64_t count,
                     const char *caption) {
    writer *csv = report_new_csv(r, "pairs"), *w = &r->body;
    if (!csv) return;
    writer_put(csv, "first,second,similarity\n");
    for (int64_t i = 0; i < count; i++) {
        writer_format(csv, "%lld,%lld,", (long long)pairs[i].first, (long long)pairs[i].second);
        writer_exact(csv, pairs[i].similarity);
        writer_put(csv, "\n");
    }
    report_close_grid(r);
    writer_put(w, "<figure id=pairs>\n<ul class=atoms style=\"");
    if (drawn_as_patches(v))
        writer_format(w, "--cell:132px;--shape:%lld/%lld\">\n", (long long)v->patch_cols, (long long)v->patch_rows);
    else
        writer_put(w, "--cell:150px;--high:64px\">\n");
    for (int64_t i = 0; i < count; i++) add_pair(w, v, others, &pairs[i]);
    writer_put(w, "</ul>\n");
    report_element(w, "figcaption", "", caption);
    writer_put(w, "</figure>\n");
}
