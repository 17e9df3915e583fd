#include "optim/quartic.h"

#include <math.h>

static double value(const double q[5], double t) {
    return t * (q[1] + t * (q[2] + t * (q[3] + t * q[4])));
}

static double slope(const double q[5], double t) {
    return q[1] + t * (2 * q[2] + t * (3 * q[3] + t * 4 * q[4]));
}

/* Root between a and b of a slope that is negative at a and positive at b, to the last bit. */
static double bisect(const double q[5], double a, double b) {
    for (;;) {
        double t = a + (b - a) / 2;
        if (!(t > a && t < b)) return t;
        if (slope(q, t) < 0)
            a = t;
        else
            b = t;
    }
}

/* Turning points of the slope: 2 q2 + 6 q3 t + 12 q4 t^2 = 0, ascending; 0 stands for a root that is not positive. */
static void turning_points(const double q[5], double turn[2]) {
    double a = 6 * q[4], b = 3 * q[3], c = q[2], root = b * b - 4 * a * c;
    turn[0] = turn[1] = 0;
    if (!(root >= 0)) return;
    double w = -(b + copysign(sqrt(root), b)) / 2, first = w / a, second = c / w;
    if (isfinite(first) && first > 0) turn[0] = first;
    if (isfinite(second) && second > 0) turn[1] = second;
    if (turn[0] > turn[1]) {
        double larger = turn[0];
        turn[0] = turn[1];
        turn[1] = larger;
    }
}

/* A point after `from` where the slope is not negative; infinite if there is none. */
static double uphill(const double q[5], double from) {
    double t = from > 0 ? from : 1;
    while (isfinite(t) && !(slope(q, t) >= 0)) t *= 2;
    return t;
}

/* Between turning points the slope is monotone, so that each interval in which it changes from negative to positive has
 * one minimum. */
double quartic_minimizer(const double q[5]) {
    double turn[2], best = 0, a = 0;
    turning_points(q, turn);
    for (int i = 0; i < 3; i++) {
        double b = i < 2 ? turn[i] : uphill(q, a);
        if (!(b > a) || !isfinite(b)) continue;
        if (slope(q, a) < 0 && slope(q, b) >= 0) {
            double t = bisect(q, a, b);
            if (value(q, t) < value(q, best)) best = t;
        }
        a = b;
    }
    return best;
}
