"""Reference implementation of the coders by their definition: each step is solved from scratch. Slow and short."""
import numpy as np


def least_squares(d, x, support):
    code = np.zeros(len(d))
    if len(support):
        code[support] = np.linalg.lstsq(d[support].T, x, rcond=None)[0]
    return code


def pursuit(d, x, sparsity, ols=False):
    """OMP chooses the atom with the largest |d'r|, OLS the one with the smallest resulting error."""
    support = []
    for _ in range(sparsity):
        basis = np.linalg.qr(d[support].T)[0]
        outside = d - (d @ basis) @ basis.T
        size = np.linalg.norm(outside, axis=1) if ols else np.ones(len(d))
        key = np.abs(outside @ x) / np.maximum(size, 1e-9)
        key[support] = 0
        support.append(int(np.argmax(key)))
    return least_squares(d, x, support)


def first_event(correlation, slope, level, active):
    """Decrease of the level until an inactive atom reaches it, and that atom."""
    falls = np.full(len(correlation), np.inf)
    for sign in (1, -1):
        gap, closing = level - sign * correlation, 1 - sign * slope
        meets = closing > 1e-12
        falls[meets] = np.minimum(falls[meets], np.maximum(gap[meets], 0) / closing[meets])
    falls[active] = np.inf
    return falls.min(), int(np.argmin(falls))


def coherent_fall(rest, direction, level, mu):
    """The t with level - t = mu |rest - t direction|; infinite: none."""
    roots = np.roots([1 - mu ** 2 * direction @ direction, 2 * (mu ** 2 * rest @ direction - level),
                      level ** 2 - mu ** 2 * rest @ rest])
    roots = roots[np.isreal(roots)].real
    return min(roots[(roots >= 0) & (roots <= level)], default=np.inf)


def least_angle(d, x, sparsity=None, mu=None):
    """LARS up to where the next atom would enter, or LARC to the residual coherence mu."""
    code, rest, active = np.zeros(len(d)), x.copy(), []
    level, atom = np.abs(d @ x).max(), int(np.argmax(np.abs(d @ x)))
    while len(active) < (sparsity or len(x)):
        active.append(atom)
        chosen, correlation = d[active], d @ rest
        weights = np.linalg.solve(chosen @ chosen.T, np.sign(correlation[active]))
        direction = weights @ chosen
        fall, atom = first_event(correlation, d @ direction, level, active)
        stop = coherent_fall(rest, direction, level, mu) if mu else np.inf
        fall = min(fall, stop, level)
        code[active] += fall * weights
        rest, level = rest - fall * direction, level - fall
        if fall == stop:
            break
    return code
