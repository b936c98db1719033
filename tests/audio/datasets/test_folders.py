from __future__ import annotations

import pytest

import proa
from proa.core import InvalidArgumentError, NotFoundError

D = proa.audio.datasets


def write(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    proa.audio.save(path, proa.zeros([1, 600]), 8000)


@pytest.fixture
def esc50(tmp_path):
    rows = ["filename,fold,target,category"]
    for i in range(4):
        write(tmp_path / "audio" / f"{i}.wav")
        rows.append(f"{i}.wav,{i % 2 + 1},{i % 2},{['dog', 'rain'][i % 2]}")
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta" / "esc50.csv").write_text("\n".join(rows))
    return tmp_path


def test_folds(esc50):
    train, held = D.ESC50(archive=esc50), D.ESC50("dev", archive=esc50)
    assert ([x.name for x in train.files], len(held)) == (["1.wav", "3.wav"], 2)
    sound, label = train[0]
    assert (sound.shape, label, train.label_list) == ((600,), 1, ("dog", "rain"))


def test_features(esc50):
    data = D.ESC50(feat_type="mfcc", archive=esc50, n_mfcc=5, n_mels=8)
    assert data[0][0].shape == (5, 5)
    assert D.ESC50(feat_type="spectrogram", archive=esc50, n_fft=32)[0][0].shape[0] == 17


def test_emotions(tmp_path, monkeypatch):
    for name in ("OAF_back_angry", "OAF_bar_sad", "OAF_base_ps"):
        write(tmp_path / "TESS_Toronto_emotional_speech_set" / "OAF" / f"{name}.wav")
    monkeypatch.setenv("PROA_DATA", str(tmp_path))
    assert D.TESS(n_folds=3, split=2).labels == [0, 5]
    assert D.TESS("dev", n_folds=3, split=2).labels == [6]


def test_where_the_files_should_be(tmp_path):
    with pytest.raises(NotFoundError, match="has no 'meta/esc50.csv'(.|\n)*PROA_DATA"):
        D.ESC50(archive=tmp_path)
    with pytest.raises(NotFoundError, match="is named WORD_EMOTION"):
        D.TESS(archive=tmp_path)


def test_wrong_arguments(esc50):
    with pytest.raises(InvalidArgumentError, match="`split` 6"):
        D.ESC50(split=6, archive=esc50)
    with pytest.raises(InvalidArgumentError, match="`feat_type` is 'mel'"):
        D.ESC50(feat_type="mel", archive=esc50)
