/* Checkpoints: the state between two iterations, written to and read from a stream: a line that identifies the file,
 * then, sealed by a checksum, the options that affect the iterates, the dictionary in double, the replacements that the
 * next iteration applies, the state of the method, and the regularisation path of gamma. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/handle.h"
#include "base/memory.h"
#include "base/sealed.h"
#include "base/stream.h"
#include "design/design_options.h"
#include "learn/checkpoint.h"
#include "learn/learn.h"
#include "learn/learner_state.h"
#include "learn/serve.h"
#include "mat/mat.h"
#include "replace/exchange.h"

static const char magic[] = "inco checkpoint 8\n";

typedef struct header {
    int64_t dim, atoms, signals, iteration, replaced, replaced_coherent, replaced_exchanged;
    int64_t replacing, passes, pairs, text;
    uint64_t data; /* fingerprint of the signals */
} header;

/* Whether an option must be the same in a resumed run. The others affect when a run stops, not its iterates. */
static int shapes_result(const inco_option *option) {
    static const char *const free_to_change[] = {"iterations",  "threads", "stop-seconds",
                                                 "stop-change", "atoms",   "max-memory"};
    if (!(option->commands & INCO_LEARN)) return 0;
    for (size_t i = 0; i < sizeof free_to_change / sizeof *free_to_change; i++)
        if (!strcmp(option->name, free_to_change[i])) return 0;
    return 1;
}

/* Writes "name=value" lines as far as they fit; returns their complete length. */
static int64_t write_options(const inco_options *o, char *text, int64_t size) {
    int64_t used = 0;
    const inco_option *option;
    for (int i = 0; (option = options_at(i)); i++) {
        if (!shapes_result(option)) continue;
        size_t left = used < size ? (size_t)(size - used) : 0;
        used += snprintf(left ? text + used : NULL, left, "%s=", option->name);
        left = used < size ? (size_t)(size - used) : 0;
        used += options_text(o, i, left ? text + used : NULL, left);
        left = used < size ? (size_t)(size - used) : 0;
        used += snprintf(left ? text + used : NULL, left, "\n");
    }
    return used;
}

char *checkpoint_options(const inco_options *o, int64_t *length) {
    *length = write_options(o, NULL, 0);
    char *text = NEW(char, *length + 1);
    if (text) write_options(o, text, *length + 1);
    return text;
}

/* The fingerprint of the signals, of which the other ranks read their shares. */
static int data_print_of(const inco_learner *handle, uint64_t *print, inco_error *error) {
    int status = serve_ask(handle->cluster, SERVE_PRINT, error);
    if (status >= 0) status = print_total(handle->data.print, print, error);
    return status < 0 ? status : weights_print(&handle->given, print, error);
}

static int refuse_design(const method *m, inco_error *error) {
    if (!m->designs) return INCO_OK;
    return error_set(error, INCO_EINVAL, "option 'method' = '%s' has no checkpoints", m->name);
}

/* Bytes of the lines that the list uses: the first ones of its capacity. */
static size_t lines_bytes(const replacement_list *list) {
    return (size_t)(replace_count(list, REPLACED_EXCHANGED) * list->lines.rows) * sizeof(double);
}

static header header_of(const inco_learner *handle) {
    const struct learner *l = handle->core;
    const inco_mat *d = &l->d;
    return (header){.dim = d->rows,
                    .atoms = d->cols,
                    .signals = handle->data.source.count,
                    .iteration = l->iteration,
                    .replaced = l->info.replaced,
                    .replaced_coherent = l->info.replaced_coherent,
                    .replaced_exchanged = l->info.replaced_exchanged,
                    .replacing = l->replacing.count,
                    .passes = l->info.spread_passes,
                    .pairs = l->info.spread_pairs};
}

typedef struct saving {
    const inco_learner *handle;
    header h;
    char *text; /* the options */
} saving;

/* Returns 0, or nonzero on failure. */
static int write_state(const void *self, const inco_stream *stream) {
    const saving *s = self;
    const header *h = &s->h;
    const inco_learner *handle = s->handle;
    const struct learner *l = handle->core;
    const size_t lines = lines_bytes(&l->replacing);
    return stream->write(stream->self, h, sizeof *h) || stream->write(stream->self, s->text, (size_t)h->text) ||
           stream->write(stream->self, l->d.data, (size_t)(h->dim * h->atoms) * sizeof(double)) ||
           (h->replacing > 0 &&
            stream->write(stream->self, l->replacing.item, (size_t)h->replacing * sizeof(replacement))) ||
           (lines > 0 && stream->write(stream->self, l->replacing.lines.data, lines)) ||
           (l->method->save && l->method->save(l->own, stream)) ||
           (path_wanted(handle->options) && path_save(&handle->path, stream));
}

int inco_learner_save(const inco_learner *handle, const inco_stream *given, inco_error *error) {
    inco_stream stream;
    if (handle_need(handle, LEARNER, error) < 0 || stream_take_writer(&stream, given, error) < 0) return INCO_EINVAL;
    saving s = {.handle = handle, .h = header_of(handle)};
    s.text = checkpoint_options(handle->options, &s.h.text);
    int status = s.text ? refuse_design(handle->core->method, error) : error_no_memory(error);
    if (status >= 0 && !s.h.atoms)
        status = error_set(error, INCO_EINVAL, "there is nothing to save before the first iteration");
    if (status >= 0) status = data_print_of(handle, &s.h.data, error);
    if (status >= 0 && (stream.write(stream.self, magic, sizeof magic - 1) || sealed_write(&stream, write_state, &s)))
        status = error_set(error, INCO_EIO, "the checkpoint could not be written");
    memory_free(s.text);
    return status;
}

/* ---- Reading ---- */

int checkpoint_damaged(inco_error *error) {
    return error_set(error, INCO_EFORMAT, "the checkpoint is damaged");
}

int checkpoint_other_version(inco_error *error) {
    return error_set(error, INCO_EFORMAT, "the checkpoint was written by another version of inco");
}

int checkpoint_read(const inco_stream *stream, void *to, size_t count, inco_error *error) {
    if (!stream->read(stream->self, to, count)) return INCO_OK;
    return error_set(error, INCO_EFORMAT, "the checkpoint ends too early");
}

static int check_header(const header *h, inco_error *error) {
    const int64_t counts[] = {
        h->iteration, h->replaced, h->replaced_coherent, h->replaced_exchanged, h->replacing, h->passes,
        h->pairs,     h->text};
    int good = h->dim >= 1 && h->dim <= INT32_MAX && h->atoms >= 1 && h->atoms <= INT32_MAX;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        good = good && counts[i] >= 0 && (double)counts[i] < OPTION_LARGE;
    return good && (double)h->iteration <= OPTION_MANY && h->replacing <= h->atoms && h->text <= 1 << 20
               ? INCO_OK
               : checkpoint_damaged(error);
}

static int check_data(const header *h, const inco_learner *handle, inco_error *error) {
    const inco_source *source = &handle->data.source;
    const int64_t atoms = design_options_of(handle->options)->atoms;
    if (h->dim != source->dim || h->signals != source->count)
        return error_set(error, INCO_EDIM,
                         "the checkpoint is of %lld signals of %lld dimensions, the data has %lld of %lld",
                         (long long)h->signals, (long long)h->dim, (long long)source->count, (long long)source->dim);
    if (atoms != OPTION_UNSET && atoms != h->atoms)
        return error_set(error, INCO_EDIM, "the checkpoint has %lld atoms, but option 'atoms' is %lld",
                         (long long)h->atoms, (long long)atoms);
    uint64_t data;
    int status = data_print_of(handle, &data, error);
    if (status >= 0 && data != h->data)
        status = error_set(error, INCO_EDATA, "the signals%s differ from those of the checkpoint",
                           handle->given.weights ? " or their weights" : "");
    return status;
}

/* Names the option in the first line that differs. */
static int compare_options(const char *saved, const char *now, inco_error *error) {
    while (*saved && *now) {
        size_t a = strcspn(saved, "\n"), b = strcspn(now, "\n");
        if (a != b || strncmp(saved, now, a)) {
            size_t name = strcspn(now, "="), value = strcspn(saved, "=");
            value += value < a;
            return error_set(error, INCO_EINVAL, "option '%.*s' is '%.*s', but was '%.*s' in the run of the checkpoint",
                             (int)name, now, (int)(b - name - 1), now + name + 1, (int)(a - value), saved + value);
        }
        saved += a + (saved[a] == '\n');
        now += b + (now[b] == '\n');
    }
    return *saved || *now ? checkpoint_other_version(error) : INCO_OK;
}

/* `list` was created for the size of the dictionary. */
static int read_replacements(replacement_list *list, const header *h, const inco_stream *stream, inco_error *error) {
    int64_t row, col;
    int status;
    TRY(checkpoint_read(stream, list->item, (size_t)h->replacing * sizeof *list->item, error));
    list->count = h->replacing;
    const int64_t lines = replace_count(list, REPLACED_EXCHANGED);
    int good = lines <= list->lines.cols;
    for (int64_t i = 0; i < list->count; i++) {
        const replacement *item = &list->item[i];
        const int64_t maximum = item->reason == REPLACED_EXCHANGED ? lines : h->signals;
        good = good && item->atom >= 0 && item->atom < h->atoms && item->by >= 0 && item->by < maximum &&
               item->reason >= REPLACED_UNUSED && item->reason <= REPLACED_EXCHANGED;
    }
    if (!good) TRY(checkpoint_damaged(error));
    if (lines_bytes(list) > 0) TRY(checkpoint_read(stream, list->lines.data, lines_bytes(list), error));
    const inco_mat used = mat_columns(&list->lines, 0, lines);
    if (mat_find_nonfinite(&used, &row, &col)) TRY(checkpoint_damaged(error));
done:
    return status;
}

/* Contents of a checkpoint besides the options, until all of it is read. */
typedef struct saved_state {
    header h;
    inco_mat d;
    replacement_list list;
    void *own;
    gamma_path path;
} saved_state;

static int check_options(const inco_learner *handle, int64_t saved_length, const inco_stream *stream,
                         inco_error *error) {
    int64_t length;
    char *saved = NEW(char, saved_length + 1), *now = checkpoint_options(handle->options, &length);
    int status = saved && now ? INCO_OK : error_no_memory(error);
    if (status >= 0) status = checkpoint_read(stream, saved, (size_t)saved_length, error);
    if (status >= 0) status = compare_options(saved, now, error);
    memory_free(saved);
    memory_free(now);
    return status;
}

/* The first line; its number is the version. */
static int read_magic(const inco_stream *stream, inco_error *error) {
    char begin[sizeof magic] = "";
    int status = checkpoint_read(stream, begin, sizeof magic - 1, error);
    if (status < 0 || !strcmp(begin, magic)) return status;
    if (!strncmp(begin, magic, strcspn(magic, "0123456789"))) return checkpoint_other_version(error);
    return error_set(error, INCO_EFORMAT, "not a checkpoint of inco");
}

static int read_head(const inco_learner *handle, header *h, const inco_stream *stream, inco_error *error) {
    int status;
    TRY(checkpoint_read(stream, h, sizeof *h, error));
    TRY(check_header(h, error));
    TRY(check_options(handle, h->text, stream, error));
    TRY(check_data(h, handle, error));
done:
    return status;
}

static int read_state(const inco_learner *handle, saved_state *s, const inco_stream *stream, inco_error *error) {
    const method *m = handle->core->method;
    const int64_t dim = s->h.dim, atoms = s->h.atoms;
    int status;
    if ((size_t)atoms > sealed_left(stream) / sizeof(double) / (size_t)dim) TRY(checkpoint_damaged(error));
    TRY(inco_mat_new(&s->d, INCO_F64, dim, atoms, error));
    TRY(checkpoint_read(stream, s->d.data, (size_t)(dim * atoms) * sizeof(double), error));
    if (!mat_is_normalized(&s->d)) TRY(checkpoint_damaged(error));
    TRY(replace_new(&s->list, dim, atoms, exchange_lines(atoms), error));
    TRY(read_replacements(&s->list, &s->h, stream, error));
    if (!(s->own = memory_new(1, m->own_size))) TRY(error_no_memory(error));
    if (m->resume) TRY(m->resume(s->own, &s->d, stream, error));
    if (path_wanted(handle->options)) TRY(path_resume(&s->path, &s->d, stream, error));
    if (sealed_left(stream)) TRY(checkpoint_damaged(error));
done:
    return status;
}

/* Swaps the learner's state with the one read. */
static void swap_states(inco_learner *handle, saved_state *s) {
    struct learner *l = handle->core;
    const replacement_list list = l->replacing;
    const gamma_path path = handle->path;
    void *own = l->own;
    l->replacing = s->list;
    l->own = s->own;
    handle->path = s->path;
    s->list = list;
    s->own = own;
    s->path = path;
    learner_take_dictionary(l, &s->d);
    l->iteration = s->h.iteration;
    l->info.replaced = s->h.replaced;
    l->info.replaced_coherent = s->h.replaced_coherent;
    l->info.replaced_exchanged = s->h.replaced_exchanged;
    l->info.spread_passes = s->h.passes;
    l->info.spread_pairs = s->h.pairs;
}

int inco_learner_resume(inco_learner *handle, const inco_stream *given, inco_error *error) {
    saved_state s = {0};
    sealed whole = {0};
    inco_stream given_stream, stream = sealed_stream(&whole);
    if (handle_need(handle, LEARNER, error) < 0) return INCO_EINVAL;
    const method *m = handle->core->method;
    int status;
    TRY(stream_take_reader(&given_stream, given, error));
    TRY(refuse_design(m, error));
    TRY(read_magic(&given_stream, error));
    TRY(sealed_read(&whole, &given_stream, "checkpoint", error));
    TRY(read_head(handle, &s.h, &stream, error));
    TRY(read_state(handle, &s, &stream, error));
    swap_states(handle, &s);
done:
    sealed_free(&whole);
    inco_mat_free(&s.d);
    replace_free(&s.list);
    if (m->free && s.own) m->free(s.own);
    memory_free(s.own);
    path_free(&s.path);
    return status;
}
