"""Ratings of films."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from proa.core import NotFoundError
from proa.io import Dataset

from ._files import check_mode, find_file

_AGES = (1, 18, 25, 35, 45, 50, 56)
_TITLE = re.compile(r"^(.*)\((\d+)\)$")


@dataclass
class _Film:
    number: int
    categories: list[str]
    words: list[str]


@dataclass
class _Viewer:
    number: int
    is_female: bool
    age: int
    job: int


def _rows(archive: zipfile.ZipFile, name: str) -> list[list[str]]:
    try:
        content = archive.read(f"ml-1m/{name}")
    except KeyError as error:
        raise NotFoundError(
            f"the archive {archive.filename!r} has no file 'ml-1m/{name}'",
            expected="the archive ml-1m.zip",
            fix="get the archive again",
        ) from error
    return [line.split("::") for line in content.decode("latin-1").splitlines() if line]


class Movielens(Dataset):
    """A million ratings of films with facts of viewers and films (MovieLens 1M).

    Args:
        data_file: path of `ml-1m.zip`; `None` for `movielens/ml-1m.zip` in the folder that
            `PROA_DATA` names.
        mode: `"train"` or `"test"`.
        test_ratio: share of the ratings that are for testing.
        rand_seed: decides which ones.
        download: kept for Paddle's signature; nothing is downloaded.

    An item is (viewer, gender, age group, job, film, categories, words of the title, rating),
    each an array; ratings 1 to 5 become -3 to 5.

    Raises:
        NotFoundError: no file.
        InvalidArgumentError: an unknown mode.
    """

    def __init__(
        self,
        data_file: str | Path | None = None,
        mode: str = "train",
        test_ratio: float = 0.1,
        rand_seed: int = 0,
        download: bool = True,
    ) -> None:
        super().__init__()
        self.mode = check_mode(mode, "train", "test")
        self.data_file = find_file(data_file, "movielens", "ml-1m.zip")
        with zipfile.ZipFile(self.data_file) as archive:
            self._read_films(_rows(archive, "movies.dat"))
            self._read_viewers(_rows(archive, "users.dat"))
            ratings = _rows(archive, "ratings.dat")
        draws = np.random.RandomState(rand_seed).random_sample(len(ratings))
        for_testing = draws < test_ratio
        self.data = [
            (int(row[0]), int(row[1]), float(row[2]) * 2 - 5.0)
            for row, held in zip(ratings, for_testing, strict=True)
            if held == (self.mode == "test")
        ]

    def _read_films(self, rows: list[list[str]]) -> None:
        self.movie_info: dict[int, _Film] = {}
        categories: set[str] = set()
        words: set[str] = set()
        for number, name, kinds in rows:
            found = _TITLE.match(name)
            title = (found.group(1) if found else name).lower().split()
            self.movie_info[int(number)] = _Film(int(number), kinds.split("|"), title)
            categories.update(kinds.split("|"))
            words.update(title)
        self.categories_dict = {name: i for i, name in enumerate(sorted(categories))}
        self.movie_title_dict = {word: i for i, word in enumerate(sorted(words))}

    def _read_viewers(self, rows: list[list[str]]) -> None:
        self.user_info = {
            int(number): _Viewer(int(number), gender == "F", _AGES.index(int(age)), int(job))
            for number, gender, age, job, *_ in rows
        }

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        viewer_number, film_number, rating = self.data[idx]
        viewer, film = self.user_info[viewer_number], self.movie_info[film_number]
        facts = (
            [viewer.number],
            [int(viewer.is_female)],
            [viewer.age],
            [viewer.job],
            [film.number],
            [self.categories_dict[name] for name in film.categories],
            [self.movie_title_dict[word] for word in film.words],
            [rating],
        )
        return tuple(np.array(fact) for fact in facts)

    def __len__(self) -> int:
        return len(self.data)
