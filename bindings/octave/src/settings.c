#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"

enum { NAME_SIZE = 64 };

static void replace(char *text, char from, char to, char end) {
    for (; *text && *text != end; text++)
        if (*text == from) *text = to;
}

/* Finds the option of a field among those of the command. */
static int find_option(inco_option *row, const char *given, unsigned command, inco_error *error) {
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s", given);
    replace(name, '_', '-', 0);
    for (int i = 0; inco_option_at(i, row); i++)
        if (!strcmp(row->name, name) && (unsigned)row->commands & command) return INCO_OK;
    return convert_fail(error, INCO_EINVAL,
                        "there is no option '%s' here; inco_options lists the options of each function", given);
}

static int set_value(inco_options *options, const inco_option *row, const mxArray *value, inco_error *error) {
    const size_t count = value ? mxGetNumberOfElements(value) : 0;
    const int plain = value && (mxIsNumeric(value) || mxIsLogical(value)) && !mxIsComplex(value) && !mxIsSparse(value);
    if (!count) return INCO_OK;
    if (mxIsChar(value)) {
        char *given = mxArrayToString(value);
        int status = inco_options_set(options, row->name, given ? given : "", error);
        mxFree(given);
        return status;
    }
    if (plain && count == 2 && row->type == INCO_SIZE && mxIsDouble(value)) { /* rows and columns, as "8x8" */
        const double *pair = mxGetData(value);
        char text[NAME_SIZE];
        snprintf(text, sizeof text, "%.17gx%.17g", pair[0], pair[1]);
        return inco_options_set(options, row->name, text, error);
    }
    if (!plain || count != 1)
        return convert_fail(error, INCO_EINVAL,
                            "option '%s' must be a text, a number, a logical value or a pair of numbers", row->name);
    const double number = mxGetScalar(value);
    if (row->type == INCO_FLAG && (number == 0 || number == 1))
        return inco_options_set(options, row->name, number ? "yes" : "no", error);
    return inco_options_set_number(options, row->name, number, error);
}

int settings_read(inco_options *options, const mxArray *settings, unsigned command, inco_error *error) {
    if (!mxIsStruct(settings) || mxGetNumberOfElements(settings) != 1)
        return convert_fail(error, INCO_EINVAL, "options must be a struct or pairs of names and values");
    int status = INCO_OK;
    for (int i = 0; i < mxGetNumberOfFields(settings) && status >= 0; i++) {
        inco_option row = INCO_INIT(inco_option);
        status = find_option(&row, mxGetFieldNameByNumber(settings, i), command, error);
        if (status >= 0) status = set_value(options, &row, mxGetFieldByNumber(settings, 0, i), error);
    }
    return status;
}

/* ---- The table ---- */

static mxArray *field_name(const char *name) {
    char text[NAME_SIZE];
    snprintf(text, sizeof text, "%s", name);
    replace(text, '-', '_', 0);
    return mxCreateString(text);
}

static mxArray *spelled(const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = mxMalloc(size);
    memcpy(copy, text, size);
    settings_spell(copy);
    mxArray *string = mxCreateString(copy);
    mxFree(copy);
    return string;
}

static void add_row(mxArray *table, mwIndex i, const inco_option *row) {
    static const char *const types[] = {"logical", "integer", "real", "choice", "text", "size"};
    mxSetField(table, i, "name", field_name(row->name));
    mxSetField(table, i, "type", mxCreateString(types[row->type]));
    mxSetField(table, i, "default", mxCreateString(row->default_text ? row->default_text : ""));
    mxSetField(table, i, "low", mxCreateDoubleScalar(row->low));
    mxSetField(table, i, "high", mxCreateDoubleScalar(row->high));
    mxSetField(table, i, "choices", mxCreateString(row->choices ? row->choices : ""));
    mxSetField(table, i, "group", mxCreateString(row->group));
    mxSetField(table, i, "help", spelled(row->help));
}

mxArray *settings_table(unsigned command) {
    const char *names[] = {"name", "type", "default", "low", "high", "choices", "group", "help"};
    inco_option row = INCO_INIT(inco_option);
    mwSize count = 0, filled = 0;
    for (int i = 0; inco_option_at(i, &row); i++) count += ((unsigned)row.commands & command) != 0;
    mxArray *table = mxCreateStructMatrix(count, 1, COUNT(names), names);
    for (int i = 0; inco_option_at(i, &row); i++)
        if ((unsigned)row.commands & command) add_row(table, filled++, &row);
    return table;
}

static int is_option(const char *text, size_t length) {
    inco_option row = INCO_INIT(inco_option);
    for (int i = 0; inco_option_at(i, &row); i++)
        if (strlen(row.name) == length && !strncmp(row.name, text, length)) return 1;
    return 0;
}

void settings_spell(char *message) {
    for (char *at = strchr(message, '\''); at; at = strchr(at, '\'')) {
        at++;
        if (is_option(at, strcspn(at, "'"))) replace(at, '-', '_', '\'');
    }
}
