from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import ArtifactError
from proa.inference import Config, _prepare, create_predictor
from proa.inference._prepare import prepare
from proa.jit import save
from proa.static import InputSpec

X = np.random.default_rng(0).standard_normal((2, 3, 8, 8)).astype(np.float32)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    net = proa.nn.Sequential(proa.nn.Conv2D(3, 4, 3), proa.nn.BatchNorm2D(4), proa.nn.ReLU())
    file = tmp_path_factory.mktemp("prepare") / "net"
    return save(net, file, [InputSpec([None, 3, 8, 8], name="x")], samples=[X])


@pytest.fixture
def config(path, tmp_path):
    made = Config(path)
    made.set_cache(tmp_path / "kept")
    return made


def _kept(config):
    from pathlib import Path

    return list(Path(config.cache_folder).glob("passed-*.proa"))


def test_a_second_start_does_not_repeat_the_passes(config, monkeypatch):
    first = prepare(config)
    assert "batch norms folded" in first.artifact.manifest["reports"]["main"]
    assert len(_kept(config)) == 1

    def never(*args, **options):
        raise AssertionError("the passes ran again")

    monkeypatch.setattr(_prepare, "optimise", never)
    second = prepare(config)
    assert second.digest == first.digest
    assert second.artifact.manifest["reports"] == first.artifact.manifest["reports"]
    assert "batch norms folded" in create_predictor(config).explain()


def test_other_passes_are_another_model(config):
    digests = {prepare(config).digest}
    config.delete_pass("conv_batch_norm_folding")
    digests.add(prepare(config).digest)
    config.switch_ir_optim(False)
    digests.add(prepare(config).digest)
    assert len(digests) == 3
    assert len(_kept(config)) == 2


@pytest.mark.parametrize("damage", ["one byte", "another one's", "an empty file"])
def test_what_was_kept_by_nobody_known_is_made_anew(config, damage):
    (expected,) = create_predictor(config).run([X])
    (file,) = _kept(config)
    content = bytearray(file.read_bytes())
    if damage == "one byte":
        content[len(content) // 2] ^= 1
    elif damage == "another one's":
        other = save(
            lambda x: x[:, :, :6, :6] * 0, file.with_name("o"), [InputSpec([None, 3, 8, 8])]
        )
        content = bytearray(other.read_bytes())
        other.unlink()
    else:
        content = bytearray()
    file.write_bytes(bytes(content))
    (got,) = create_predictor(config).run([X])
    np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_a_model_changed_after_its_passes_were_kept_is_refused(config, path, tmp_path):
    copy = tmp_path / "copy.proa"
    copy.write_bytes(path.read_bytes())
    config.set_model(copy)
    create_predictor(config)
    content = bytearray(copy.read_bytes())
    content[200] ^= 1
    copy.write_bytes(bytes(content))
    with pytest.raises(ArtifactError, match="was altered"):
        create_predictor(config)


def test_nothing_is_kept_of_a_model_that_would_fill_the_folder(path, tmp_path):
    config = Config(path)
    config.set_cache(tmp_path / "kept", max_megabytes=0)
    prepare(config)
    assert _kept(config) == []
