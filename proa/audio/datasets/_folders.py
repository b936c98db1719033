"""Data sets of recordings whose files lie in a folder."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np

from proa.audio.backends import load
from proa.audio.features import MFCC, LogMelSpectrogram, MelSpectrogram, Spectrogram
from proa.core import InvalidArgumentError, NotFoundError
from proa.io import Dataset

_FEATURES = {
    "raw": None,
    "melspectrogram": MelSpectrogram,
    "mfcc": MFCC,
    "logmelspectrogram": LogMelSpectrogram,
    "spectrogram": Spectrogram,
}


def _root(archive: Any, name: str, needed: str) -> Path:
    """The folder of a data set: as given, or in the folder that PROA_DATA names."""
    given = archive.get("folder") if isinstance(archive, dict) else archive
    folder = given or Path(os.environ.get("PROA_DATA", "data"), name)
    if not Path(folder, needed).exists():
        raise NotFoundError(
            f"the folder {str(folder)!r} has no {needed!r}",
            expected=f"the unpacked files of {name}",
            fix=f"unpack the data set there, name its folder with archive=FOLDER, or set "
            f"PROA_DATA to a folder that holds {name!r}; nothing is downloaded",
        )
    return Path(folder)


class _Recordings(Dataset):
    """Files with labels; an item is a feature of the sound and its label."""

    label_list: tuple[str, ...] = ()

    def __init__(self, files: list[Path], labels: list[int], feat_type: str, **kwargs: Any) -> None:
        super().__init__()
        if feat_type not in _FEATURES:
            raise InvalidArgumentError(
                f"`feat_type` is {feat_type!r}",
                expected="one of " + ", ".join(_FEATURES),
                fix="choose one",
            )
        self.files, self.labels, self.feat_type = files, labels, feat_type
        self._options, self._layer = kwargs, None

    def __getitem__(self, idx: int) -> tuple[np.ndarray, int]:
        sound, rate = load(self.files[idx])
        kind = _FEATURES[self.feat_type]
        if kind is None:
            return sound.numpy()[0], self.labels[idx]
        if self._layer is None:
            options = self._options if kind is Spectrogram else {"sr": rate, **self._options}
            self._layer = kind(**options)
        return self._layer(sound[:1]).numpy()[0], self.labels[idx]  # type: ignore[index]

    def __len__(self) -> int:
        return len(self.files)


def _check_fold(mode: str, split: int, folds: int) -> None:
    if mode not in ("train", "dev") or not 1 <= split <= folds:
        raise InvalidArgumentError(
            f"`mode` {mode!r}, `split` {split}",
            expected=f"'train' or 'dev', and a fold in [1, {folds}]",
            fix="correct them",
        )


class ESC50(_Recordings):
    """Environmental sounds in 50 classes, 2,000 recordings of 5 s (Piczak, 2015).

    Args:
        mode: `"train"` for all folds but `split`, `"dev"` for that fold.
        split: the fold that is held out, 1 to 5.
        feat_type: `"raw"`, `"spectrogram"`, `"melspectrogram"`, `"logmelspectrogram"`, `"mfcc"`.
        archive: folder of the unpacked data set, with `meta/esc50.csv` and `audio/`; `None`
            for `ESC-50-master` in the folder that `PROA_DATA` names.
        kwargs: settings of the feature's layer.

    Raises:
        NotFoundError: the files are not there; nothing is downloaded.
        InvalidArgumentError: an unknown mode, fold or feature.
    """

    def __init__(
        self,
        mode: str = "train",
        split: int = 1,
        feat_type: str = "raw",
        archive: Any = None,
        **kwargs: Any,
    ) -> None:
        _check_fold(mode, split, 5)
        folder = _root(archive, "ESC-50-master", "meta/esc50.csv")
        with open(folder / "meta" / "esc50.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        chosen = [r for r in rows if (int(r["fold"]) == split) == (mode == "dev")]
        files = [folder / "audio" / r["filename"] for r in chosen]
        super().__init__(files, [int(r["target"]) for r in chosen], feat_type, **kwargs)
        names = {int(r["target"]): r["category"] for r in rows}
        self.label_list = tuple(names[i] for i in sorted(names))


class TESS(_Recordings):
    """Words spoken with seven emotions, 2,800 recordings (Pichora-Fuller and Dupuis, 2020).

    Args:
        mode: `"train"` for all folds but `split`, `"dev"` for that fold.
        n_folds: number of folds; file number i lies in fold `i % n_folds + 1`.
        split: the fold that is held out.
        feat_type: `"raw"`, `"spectrogram"`, `"melspectrogram"`, `"logmelspectrogram"`, `"mfcc"`.
        archive: folder of the unpacked data set, with WAV files at any depth; `None` for
            `TESS_Toronto_emotional_speech_set` in the folder that `PROA_DATA` names.
        kwargs: settings of the feature's layer.

    Raises:
        NotFoundError: the files are not there; nothing is downloaded.
        InvalidArgumentError: an unknown mode, fold or feature.
    """

    label_list = ("angry", "disgust", "fear", "happy", "neutral", "ps", "sad")

    def __init__(
        self,
        mode: str = "train",
        n_folds: int = 5,
        split: int = 1,
        feat_type: str = "raw",
        archive: Any = None,
        **kwargs: Any,
    ) -> None:
        _check_fold(mode, split, n_folds)
        folder = _root(archive, "TESS_Toronto_emotional_speech_set", ".")
        found = sorted(folder.rglob("*.wav"), key=lambda path: path.name)
        pairs = [(path, path.stem.rpartition("_")[2].lower()) for path in found]
        known = [(path, name) for path, name in pairs if name in self.label_list]
        if not known:
            raise NotFoundError(
                f"no WAV file in {str(folder)!r} is named WORD_EMOTION.wav",
                expected="names that end with one of " + ", ".join(self.label_list),
                fix="unpack the data set there; nothing is downloaded",
            )
        chosen = [
            pair for i, pair in enumerate(known) if (i % n_folds + 1 == split) == (mode == "dev")
        ]
        labels = [self.label_list.index(name) for _, name in chosen]
        super().__init__([path for path, _ in chosen], labels, feat_type, **kwargs)
