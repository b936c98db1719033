from __future__ import annotations

import numpy as np
import pytest

import proa
from proa.core import InvalidArgumentError, UnknownNameError
from proa.formats import read_artifact, write_artifact
from proa.inference import Config, _optimise, create_predictor
from proa.inference._optimise import PassBuilder, optimise
from proa.jit import Pipeline
from proa.program.passes import PIPELINES, all_passes
from proa.static import InputSpec


def exported(folder):
    net = proa.nn.Sequential(
        proa.nn.Conv2D(3, 16, 3, bias_attr=False), proa.nn.BatchNorm2D(16), proa.nn.ReLU()
    )
    net.eval()
    net[1]._mean.set_value(np.linspace(-1, 1, 16, dtype=np.float32))
    sample = proa.to_tensor(np.random.default_rng(0).normal(size=(2, 3, 6, 6)).astype("float32"))
    path = proa.jit.save(
        net,
        folder / "net",
        [InputSpec([None, 3, None, None], name="image")],
        preprocess=lambda x: x / 2.0,
        postprocess=lambda y: proa.assign(y).mean([2, 3]),
        samples=[sample],
    )
    return read_artifact(path), sample


def test_an_artifact_computes_the_same_with_fewer_ops(tmp_path):
    before, sample = exported(tmp_path)
    after, reports = optimise(before)
    assert set(reports) == {"preprocess", "main", "postprocess"}
    assert [len(a.programs["main"].calls) for a in (before, after)] == [3, 2]
    assert len(after.programs["postprocess"].calls) < len(before.programs["postprocess"].calls)
    assert set(after.weights) == {"0.weight.folded"}
    assert len(before.programs["main"].captures) == 5
    x = sample.numpy()
    (expected,), (got,) = Pipeline(before).run([x]), Pipeline(after).run([x])
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
    assert Pipeline(after).check_golden() < 1.0
    assert after.manifest["passes"]["main"][3] == {
        "name": "conv_batch_norm_folding",
        "did": {"batch norms folded": 1},
    }
    again = read_artifact(write_artifact(after, tmp_path / "again"))
    np.testing.assert_array_equal(Pipeline(again).run([x])[0], got)


def test_untouched_weights_are_shared_and_nothing_is_done_without_passes(tmp_path):
    before, sample = exported(tmp_path)
    after, reports = optimise(before, [])
    assert not any(report.changed for report in reports.values())
    assert after.weights["0.weight"] is before.weights["0.weight"]
    assert len(after.programs["main"].calls) == 3
    _, reports = optimise(before, samples=[[sample.numpy()]])
    assert max(step.difference for step in reports["main"].steps) < 1e-5


def test_a_builder_keeps_a_list_of_passes(tmp_path, capsys):
    builder = PassBuilder()
    assert builder.all_passes() == list(PIPELINES["inference"])
    builder.delete_pass("conv_bn_fuse_pass")
    assert "conv_batch_norm_folding" not in builder.all_passes()
    builder.delete_pass("gpu_cpu_map_matmul_to_mul_pass")
    assert "no such pass" in builder.notes["delete gpu_cpu_map_matmul_to_mul_pass"]
    builder.set_passes(["dead_code"])
    builder.append_pass("fuse_bias_activation")
    builder.insert_pass(0, "constant_folding_pass")
    assert builder.all_passes() == ["constant_folding", "dead_code", "fuse_bias_activation"]
    assert set(builder.all_passes()) <= {*all_passes()}
    builder.delete_pass(1)
    assert "- fuse_bias_activation" in builder.debug_string()
    assert builder.analysis_passes() == ["verify"]
    builder.append_analysis_pass("ir_graph_build_pass")
    assert "verified" in builder.notes["analysis ir_graph_build_pass"]
    builder.turn_on_debug()
    after, _ = builder.optimise(exported(tmp_path)[0])
    assert "passes of 'main'" in capsys.readouterr().out
    assert "batch_norm_infer" in [c.op.name for c in after.programs["main"].calls]


@pytest.mark.parametrize("worth", [0.0, 1e9], ids=["channels last is slower", "faster"])
def test_the_layout_that_measures_faster_is_kept(tmp_path, monkeypatch, worth):
    artifact, sample = exported(tmp_path)
    monkeypatch.setattr(_optimise, "_WORTH", worth)
    builder = PassBuilder()
    times = builder.choose_layout(artifact, [sample.numpy()], rounds=1)
    assert set(times) == {"first", "last"}
    assert min(times.values()) > 0
    assert ("layout_nhwc" in builder.all_passes()) == (worth > 0)
    chosen = builder.all_passes()
    builder.choose_layout(artifact, [sample.numpy()], rounds=1)
    assert builder.all_passes() == chosen
    with pytest.raises(InvalidArgumentError, match="`rounds` is 0"):
        builder.choose_layout(artifact, [sample.numpy()], rounds=0)


def test_passes_that_are_not_there_are_refused():
    builder = PassBuilder()
    with pytest.raises(UnknownNameError, match="no pass 'seqpool_cvm_concat_fuse_pass'"):
        builder.append_pass("seqpool_cvm_concat_fuse_pass")
    with pytest.raises(InvalidArgumentError, match="`idx` of insert_pass is 99"):
        builder.insert_pass(99, "dead_code")
    with pytest.raises(InvalidArgumentError, match="pass number 99 of"):
        builder.delete_pass(99)


def test_a_predictor_tells_what_its_passes_did(tmp_path, capsys):
    exported(tmp_path)
    for tells in (False, True):
        config = Config(str(tmp_path / "net.proa"))
        if tells:
            config.pass_builder().turn_on_debug()
        predictor = create_predictor(config)
        assert ("batch norms folded x1" in capsys.readouterr().out) == tells
    assert "batch norms folded x1" in predictor.explain()
