from __future__ import annotations

import xml.etree.ElementTree as ET
from io import StringIO

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import proa
from proa.cli import app
from proa.cli._program import listing_table, report_table
from proa.core import InvalidArgumentError, UnknownNameError
from proa.formats import read_artifact
from proa.program.passes import apply_passes
from proa.static import InputSpec

runner = CliRunner()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    net = proa.nn.Sequential(
        proa.nn.Conv2D(3, 8, 3), proa.nn.BatchNorm2D(8), proa.nn.ReLU(), proa.nn.ReLU()
    )
    net.eval()
    sample = proa.to_tensor(np.ones((1, 3, 6, 6), np.float32))
    path = tmp_path_factory.mktemp("model") / "net"
    spec = [InputSpec([None, 3, 6, 6], name="image")]
    return proa.jit.save(
        net, path, spec, postprocess=lambda y: y.mean([1, 2, 3]) * 2.0, samples=[sample]
    )


def test_show_prints_operations_and_what_they_cost(file):
    result = runner.invoke(app, ["program", "show", str(file), "--size", "batch=2"])
    assert result.exit_code == 0, result.output
    assert "main: 4 ops" in result.output
    assert "batch = 2" in result.output
    assert "%0 = conv2d(image, 0.{weight, bias})  float32[batch, 8, 4, 4]" in result.output
    assert "postprocess: 2 ops" in result.output


def test_show_draws_each_program(file, tmp_path):
    target = tmp_path / "net.svg"
    result = runner.invoke(app, ["program", "show", str(file), "--svg", str(target)])
    assert result.exit_code == 0, result.output
    texts = [e.text for e in ET.parse(target).iter() if e.tag.endswith("text")]
    assert "conv2d" in texts
    assert any(text.startswith("net.proa: main, 4 ops") for text in texts)
    assert (tmp_path / "net-postprocess.svg").exists()


def test_passes_prints_what_each_of_them_does(file):
    result = runner.invoke(app, ["program", "passes", str(file), "--compare"])
    assert result.exit_code == 0, result.output
    assert "conv_batch_norm_folding" in result.output
    assert "batch norms folded x1" in result.output
    result = runner.invoke(
        app, ["program", "passes", str(file), "--only", "dead_code, fuse_attention"]
    )
    assert [line.split()[0] for line in result.output.splitlines()[2:4]] == [
        "dead_code",
        "fuse_attention",
    ]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["show", "--size", "batch"], InvalidArgumentError, "--size batch"),
        (["show", "--size", "batch=0"], InvalidArgumentError, "--size batch=0"),
        (["passes", "--size", "length=3"], InvalidArgumentError, "the dimension 'length'"),
        (["passes", "--only", "no_pass"], UnknownNameError, "no pass 'no_pass'"),
    ],
)
def test_what_cannot_be_done_is_said(file, arguments, error, message):
    command, *rest = arguments
    result = runner.invoke(app, ["program", command, str(file), *rest])
    assert isinstance(result.exception, error)
    assert message in str(result.exception)


def test_terminals_get_tables(file):
    program = read_artifact(file).programs["main"]
    console = Console(width=160, record=True, file=StringIO())
    console.print(listing_table("main", program, True, {}))
    console.print(report_table("main", apply_passes(program, "dead_code")[1]))
    text = console.export_text()
    assert "float32[batch, 8, 4, 4]" in text
    assert "batch_norm_infer" in text
    assert "dead_code" in text
    assert "(batch = 1)" in text
