from __future__ import annotations

import hashlib

import pytest

import proa
from proa.core import ArtifactError, InvalidArgumentError, NotFoundError, UnsupportedError

CODE = '''
import proa
from helper_of_hub import WIDTH

dependencies = ["json"]

def linear(width=WIDTH):
    """A linear layer."""
    return proa.nn.Linear(width, 2)

def _hidden():
    pass
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "helper_of_hub.py").write_text("WIDTH = 3\n")
    (tmp_path / "hubconf.py").write_text(CODE)
    return tmp_path


def test_entry_points(folder):
    assert proa.hub.list(str(folder), source="local") == ["linear"]
    assert proa.hub.help(str(folder), "linear", source="local") == "A linear layer."
    assert proa.hub.load(folder, "linear", source="local").weight.shape == [3, 2]
    assert proa.hub.load(folder, "linear", source="local", width=5).weight.shape == [5, 2]


def test_the_file_runs_once_unless_forced(folder):
    assert proa.hub.list(folder, "local") == ["linear"]
    (folder / "hubconf.py").write_text("def other(): return 1\n")
    assert proa.hub.list(folder, "local") == ["linear"]
    assert proa.hub.list(folder, "local", force_reload=True) == ["other"]


@pytest.mark.parametrize("source", ["github", "gitee"])
def test_the_network_is_refused(source):
    with pytest.raises(UnsupportedError, match=f"'lyu/model:main' of '{source}'(.|\n)*clone"):
        proa.hub.load("lyu/model:main", "linear", source=source)


def test_wrong_arguments(folder, tmp_path_factory):
    with pytest.raises(InvalidArgumentError, match="`source` is 'web'"):
        proa.hub.list(folder, source="web")
    with pytest.raises(NotFoundError, match="no entry point 'dense'(.|\n)*linear"):
        proa.hub.load(folder, "dense", source="local")
    with pytest.raises(NotFoundError, match=r"has no hubconf\.py"):
        proa.hub.list(tmp_path_factory.mktemp("empty"), source="local")


def test_missing_dependencies(folder):
    (folder / "hubconf.py").write_text('dependencies = ["no_such_module_here"]\n')
    with pytest.raises(NotFoundError, match="depends on no_such_module_here"):
        proa.hub.list(folder, source="local")


def test_code_that_fails_leaves_nothing_behind(folder):
    (folder / "hubconf.py").write_text("1 / 0\n")
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            proa.hub.list(folder, source="local")


def test_weights_of_a_local_copy(tmp_path, monkeypatch):
    target = tmp_path / "hub" / "checkpoints" / "net.pdparams"
    target.parent.mkdir(parents=True)
    proa.save({"w": proa.ones([2])}, str(target))
    monkeypatch.setenv("PROA_HOME", str(tmp_path))
    url = "https://example.com/files/net.pdparams?raw=1"
    load = proa.hub.load_state_dict_from_url
    assert load(url)["w"].tolist() == [1.0, 1.0]
    with pytest.raises(NotFoundError, match="no copy of(.|\n)*downloads nothing"):
        load("https://example.com/files/other.pdparams")
    with pytest.raises(InvalidArgumentError, match="holds no digits"):
        load(url, check_hash=True)
    digits = hashlib.sha256(target.read_bytes()).hexdigest()[:8]
    (target.parent / f"net-{digits}.pdparams").write_bytes(target.read_bytes())
    assert load(url, check_hash=True, file_name=f"net-{digits}.pdparams")["w"].shape == [2]
    (target.parent / "net-00000000.pdparams").write_bytes(target.read_bytes())
    with pytest.raises(ArtifactError, match="has SHA-256"):
        load(url, check_hash=True, file_name="net-00000000.pdparams")
