"""A tour of inco for Python: digits and speech, coherence seen, bounded, and compared with scikit-learn.

Cells begin with # %%, as editors for notebooks know them. Run it whole:

    python3 tour.py [--quick]
"""
# %%
import sys
import time

import numpy as np

import inco
from inco import DictionaryLearning

QUICK = "--quick" in sys.argv
ITERATIONS = 3 if QUICK else 25

# %% [markdown]
# Digits: 1797 images of 8 x 8 pixels. With 128 atoms and five atoms per image.

# %%
from sklearn.datasets import load_digits

X = load_digits().data
X = X - X.mean(axis=0)
train, test = X[:1200], X[1200:]

omp = dict(coder="omp", sparsity=5)
free = DictionaryLearning(128, gamma_relative=0.0, iterations=ITERATIONS, **omp).fit(train)
print("without a penalty")
print(inco.inspect(free.components_))

# %% [markdown]
# Two atoms are nearly the same: a code may use either. The penalty gamma lowers the sum of all squared inner products; the
# bound max_coherence limits the largest, exactly.

# %%
mild = DictionaryLearning(128, iterations=ITERATIONS, **omp).fit(train)
bounded = DictionaryLearning(128, max_coherence=0.5, iterations=ITERATIONS, **omp).fit(train)
assert bounded.coherence_ <= 0.5

print("\n              coherence   explained (training)   explained (test)")
for name, model in (("free", free), ("gamma", mild), ("bounded", bounded)):
    print(f"{name:12}  {model.coherence_:9.4f}   {model.score(train):20.4f}   {model.score(test):16.4f}")

# %% [markdown]
# The same in scikit-learn. Its dictionary has no bound; `decohere` finds the nearest one that has.

# %%
from sklearn.decomposition import MiniBatchDictionaryLearning

start = time.perf_counter()
peer = MiniBatchDictionaryLearning(128, alpha=10.0, batch_size=64, max_iter=ITERATIONS // 3, fit_algorithm="cd",
                                   transform_algorithm="omp", transform_n_nonzero_coefs=5, random_state=0).fit(train)
seconds = time.perf_counter() - start
atoms = peer.components_[np.linalg.norm(peer.components_, axis=1) > 0]
codes = inco.encode(atoms, test, **omp)
explained = 1 - np.linalg.norm(test - inco.decode(atoms, codes)) ** 2 / np.linalg.norm(test) ** 2
print(f"\nscikit-learn  {inco.inspect(atoms).coherence_max:9.4f}   {explained:39.4f}   in {seconds:.1f} s")
nearest = inco.decohere(atoms, train, max_coherence=0.5, **omp)
print(nearest)

# %% [markdown]
# Speech: windows of 160 samples at 8 kHz. Here they are made up of a few partials; `learn` also takes a folder of
# recordings: inco.learn("recordings/", window=160, rate=8000, signals=20000, atoms=512).

# %%
rng = np.random.default_rng(0)
t = np.arange(160) / 8000
pitch = rng.uniform(80, 250, (4000, 1))
speech = sum(rng.standard_normal((4000, 1)) / k * np.cos(2 * np.pi * (k * pitch * t + rng.random((4000, 1))))
             for k in range(1, 8)).astype(np.float32)


def show(progress):
    if progress.phase == "iteration" and progress.iteration % 5 == 0:
        print(f"  iteration {progress.iteration}: error {progress.relative_error:.4f}, rms {progress.coherence_rms:.4f}")


print("\nspeech")
result = inco.learn(speech, atoms=256, sparsity=10, coder="omp", max_coherence=0.6, iterations=ITERATIONS, callbacks=[show])
print(result)
codes = inco.encode(result.dictionary, speech, coder="omp", tolerance=0.1)
print(f"{codes.nnz / codes.shape[0]:.1f} atoms per window for 20 dB; Welch bound {result.welch:.4f}")

# %% [markdown]
# Larger than memory: batches, one after the other.

# %%
stream = DictionaryLearning(256, coder="omp", sparsity=10)
for first in range(0, len(speech), 1000):
    stream.partial_fit(speech[first:first + 1000])
print(f"stream: {stream.n_iter_} batches, explained {stream.score(speech):.4f}")
