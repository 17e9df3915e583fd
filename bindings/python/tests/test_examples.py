"""The tour; scikit-learn's example of image denoising with inco's estimator; librosa's calls of a transformer."""
import pathlib
import re
import runpy
import sys

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.feature_extraction.image import extract_patches_2d, reconstruct_from_patches_2d

import inco
from inco import DictionaryLearning

GUIDE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "python.md"
TOUR = pathlib.Path(__file__).resolve().parents[1] / "examples" / "tour.py"


def test_tour(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tour.py", "--quick"])
    names = runpy.run_path(str(TOUR), run_name="__main__")
    assert names["bounded"].coherence_ <= 0.5 < names["free"].coherence_
    assert "Welch bound" in capsys.readouterr().out


@pytest.mark.skipif(not GUIDE.exists(), reason="outside the source tree")
@pytest.mark.filterwarnings("ignore::inco.TargetWarning")
def test_code_of_the_guide(X, tmp_path, monkeypatch):
    """The blocks of docs/python.md run one after the other, with fewer atoms and recordings of noise."""
    wavfile = pytest.importorskip("scipy.io.wavfile")
    if not inco._library.lib.inco_has(b"audio"):
        pytest.skip("built without audio")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recordings").mkdir()
    noise = np.random.default_rng(0).standard_normal(40000) * 3000
    wavfile.write(tmp_path / "recordings" / "noise.wav", 8000, noise.astype(np.int16))
    names = [f"part{i}.npy" for i in range(3)]
    for name, part in zip(names, np.split(X, 3)):
        np.save(name, part)
    code = "\n".join(re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S))
    for long, short in ("atoms=512", "atoms=20"), ("n_components=256", "n_components=32"), ("signals=20000", "signals=200"):
        assert long in code
        code = code.replace(long, short)
    found = {"np": np, "inco": inco, "X": X, "names": names}
    exec(compile(code, str(GUIDE), "exec"), found)
    assert found["model"].coherence_ <= 0.5 and found["X_hat"].shape == X.shape and found["result"].dim == 160


def image():
    """A grey image of 64 x 64: edges, a gradient and a texture."""
    y, x = np.mgrid[:64, :64] / 64
    disc = ((x - 0.5) ** 2 + (y - 0.4) ** 2 < 0.08).astype(float)
    return 0.4 * disc + 0.3 * x + 0.15 * np.sin(40 * (x + y)) * (y > 0.6)


def test_image_denoising():
    """The steps of scikit-learn's plot_image_denoising.py; its constructor and names of parameters are replaced."""
    raccoon_face = image()
    height, width = raccoon_face.shape
    distorted = raccoon_face.copy()
    distorted[:, width // 2:] += 0.075 * np.random.default_rng(0).standard_normal((height, width // 2))

    patch_size = (7, 7)
    data = extract_patches_2d(distorted[:, :width // 2], patch_size)
    data = data.reshape(data.shape[0], -1)
    data -= np.mean(data, axis=0)
    data /= np.std(data, axis=0)

    dico = DictionaryLearning(n_components=50, method="online", batch=200, coder="lasso", alpha=0.1, iterations=10)
    V = dico.fit(data).components_
    assert V.shape == (50, 49)

    data = extract_patches_2d(distorted[:, width // 2:], patch_size)
    data = data.reshape(data.shape[0], -1)
    intercept = np.mean(data, axis=0)
    data -= intercept

    noise = np.linalg.norm(distorted - raccoon_face)
    for kwargs in ({"coder": "omp", "sparsity": 1}, {"coder": "omp", "sparsity": 2}, {"coder": "lars", "sparsity": 4}):
        reconstruction = raccoon_face.copy()
        dico.set_params(alpha=None, **kwargs)
        code = dico.transform(data)
        patches = np.dot(code, V)
        patches += intercept
        patches = patches.reshape(len(data), *patch_size)
        reconstruction[:, width // 2:] = reconstruct_from_patches_2d(patches, (height, width // 2))
        assert np.linalg.norm(reconstruction - raccoon_face) < 0.8 * noise, kwargs


def decompose(S, n_components=None, transformer=None, sort=False, fit=True):
    """The calls that librosa.decompose.decompose makes of its transformer."""
    S = S.T
    if fit:
        activations = transformer.fit_transform(S).T
    else:
        activations = transformer.transform(S).T
    components = transformer.components_.T
    if sort:
        order = np.argsort(np.argmax(components, axis=0))
        components, activations = components[:, order], activations[order]
    return components, activations


def test_transformer_of_librosa():
    rng = np.random.default_rng(0)
    S = np.abs(rng.standard_normal((65, 6)) @ rng.standard_normal((6, 300)))
    transformer = DictionaryLearning(n_components=16, coder="omp", sparsity=6, nonnegative=True, iterations=10)
    components, activations = decompose(S, transformer=transformer, sort=True)
    assert components.shape == (65, 16) and activations.shape == (16, 300) and (activations >= 0).all()
    assert np.linalg.norm(S - components @ activations) < 0.3 * np.linalg.norm(S)
    again = decompose(S[:, :50], transformer=transformer, fit=False)[1]
    assert again.shape == (16, 50)


def test_learn_from_recordings(tmp_path):
    """A folder of audio, by name."""
    if not inco._library.lib.inco_has(b"audio"):
        pytest.skip("built without audio")
    wavfile = pytest.importorskip("scipy.io.wavfile")
    sound = np.sin(np.cumsum(np.linspace(0.01, 0.6, 40000))) * 20000
    wavfile.write(tmp_path / "sweep.wav", 8000, sound.astype(np.int16))
    result = inco.learn(tmp_path, window=80, signals=400, atoms=100, iterations=2, coder="omp", sparsity=4)
    assert result.dictionary.shape == (100, 80) and result.signals == 400
    codes = inco.encode(result.dictionary, tmp_path / "sweep.wav", window=80, coder="omp", sparsity=4)
    assert codes.shape == (500, 100)
