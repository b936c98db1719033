from __future__ import annotations

import zipfile

import pytest

import proa
from proa.core import NotFoundError

FILES = {
    "movies.dat": "1::Toy Story (1995)::Animation|Comedy\n7::Heat (1995)::Action\n",
    "users.dat": "1::F::1::10::48067\n2::M::56::16::70072\n",
    "ratings.dat": "1::7::5::978300760\n2::1::2::978302109\n",
}


@pytest.fixture
def path(tmp_path):
    with zipfile.ZipFile(tmp_path / "ml.zip", "w") as archive:
        for name, text in FILES.items():
            archive.writestr(f"ml-1m/{name}", text)
    return tmp_path / "ml.zip"


def test_ratings(path):
    data = proa.text.Movielens(path, test_ratio=0.0)
    assert [x.tolist() for x in data[0]] == [[1], [1], [0], [10], [7], [0], [0], [5.0]]
    assert [x.tolist() for x in data[1]] == [[2], [0], [6], [16], [1], [1, 2], [2, 1], [-1.0]]


def test_each_rating_is_in_one_part(path):
    parts = [proa.text.Movielens(path, mode, 0.5) for mode in ("train", "test")]
    assert sum(len(part) for part in parts) == 2


def test_other_archives(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("x", "")
    with pytest.raises(NotFoundError, match=r"has no file 'ml-1m/movies\.dat'"):
        proa.text.Movielens(tmp_path / "x.zip")
