#include "report/scale.h"

#include <math.h>
#include <stdio.h>

int scale_has(const scale *s, double value) {
    return isfinite(value) && (!s->log || value > 0);
}

double scale_at(const scale *s, double value) {
    const double share = s->log ? log(value / s->low) / log(s->high / s->low) : (value - s->low) / (s->high - s->low);
    return s->from + share * (s->to - s->from);
}

static double step_of(const scale *s, int wanted) {
    const double least = (s->high - s->low) / wanted, power = pow(10, floor(log10(least))), factor = least / power;
    const double step = power * (factor <= 1.0001 ? 1 : factor <= 2.0001 ? 2 : factor <= 5.0001 ? 5 : 10);
    return s->whole ? fmax(step, 1) : step;
}

/* ---- Ends ---- */

static void round_ends(scale *s, int wanted) {
    if (s->log) {
        const double low = pow(10, floor(log10(s->low))), high = pow(10, floor(log10(s->high)));
        s->low = low * (s->low >= 5 * low ? 5 : s->low >= 2 * low ? 2 : 1);
        s->high = high * (s->high <= high * 1.0001 ? 1 : s->high <= 2 * high ? 2 : s->high <= 5 * high ? 5 : 10);
        return;
    }
    const double step = step_of(s, wanted);
    s->low = floor(s->low / step + 1e-9) * step;
    s->high = ceil(s->high / step - 1e-9) * step;
}

void scale_fit(scale *s, int wanted, int round) {
    if (!isfinite(s->low) || !isfinite(s->high)) s->low = s->log ? 1 : 0, s->high = s->log ? 10 : 1;
    if (s->log && !(s->high > 0)) s->low = 1, s->high = 10;
    if (s->log && !(s->low > 0)) s->low = s->high / 1000;
    if (s->log && s->high < s->low * 1.05) s->low /= 1.5, s->high *= 1.5;
    const double least = 1e-6 * fmax(fabs(s->low), fabs(s->high));
    if (!s->log && s->high - s->low <= least) {
        const double around = s->low == 0 ? 1 : fabs(s->low) / 20;
        s->low -= around;
        s->high += around;
    }
    if (round) round_ends(s, wanted);
}

/* ---- Ticks ---- */

static void label_number(char label[16], double value, double step, double largest) {
    const char *unit = largest >= 1e7 ? "M" : largest >= 1e4 ? "k" : "";
    const double by = largest >= 1e7 ? 1e6 : largest >= 1e4 ? 1e3 : 1;
    int digits = (int)-floor(log10(step / by) + 1e-9);
    if (largest >= 1e10 || largest < 1e-4) {
        snprintf(label, 16, "%.3g", value);
        return;
    }
    if (digits < 0) digits = 0;
    snprintf(label, 16, "%.*f%s", digits > 9 ? 9 : digits, value / by + 0.0, value == 0 ? "" : unit);
}

static ticks linear_ticks(const scale *s, int wanted) {
    const double step = step_of(s, wanted), largest = fmax(fabs(s->low), fabs(s->high));
    ticks t = {0};
    for (double k = ceil(s->low / step - 1e-9); t.count < TICKS_MAX && k * step <= s->high + 1e-9 * step; k++) {
        t.value[t.count] = k * step;
        label_number(t.label[t.count++], k * step, step, largest);
    }
    return t;
}

static void label_power(char label[16], double value) {
    if (value >= 1e10 || value < 1e-4)
        snprintf(label, 16, "%.0e", value);
    else if (value >= 1e7)
        snprintf(label, 16, "%gM", value / 1e6);
    else if (value >= 1e4)
        snprintf(label, 16, "%gk", value / 1e3);
    else
        snprintf(label, 16, "%g", value);
}

/* Multiples 1, 2, 5 of powers of ten if there are few decades, only the powers if there are many. */
static ticks log_ticks(const scale *s, int wanted) {
    static const double multiple[] = {1, 2, 5};
    const double decades = log10(s->high / s->low);
    const int each = decades * 3 <= wanted + 1 ? 3 : 1, apart = (int)ceil(decades / wanted - 1e-9);
    const int first = (int)floor(log10(s->low) + 1e-9), last = (int)floor(log10(s->high) + 1e-9);
    ticks t = {0};
    for (int power = first; power <= last; power++)
        for (int m = 0; m < each && t.count < TICKS_MAX; m++) {
            const double value = multiple[m] * pow(10, power);
            if (value < s->low * (1 - 1e-9) || value > s->high * (1 + 1e-9)) continue;
            if (apart > 1 && power % apart) continue;
            t.value[t.count] = value;
            label_power(t.label[t.count++], value);
        }
    return t;
}

ticks scale_ticks(const scale *s, int wanted) {
    const ticks t = s->log ? log_ticks(s, wanted) : linear_ticks(s, wanted);
    const scale straight = {0, s->whole, s->low, s->high, s->from, s->to};
    return t.count >= 2 ? t : linear_ticks(&straight, wanted);
}
