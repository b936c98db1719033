"""An unmodified Paddle script trains on Proa: `python -m proa.compat script.py ARGS`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_SCRIPT = '''\
import argparse

import numpy as np
import paddle
import paddle.nn as nn
import paddle.nn.functional as F
from paddle.io import DataLoader, Dataset


class Rings(Dataset):
    """Points in the plane; the class is whether they lie inside a circle."""

    def __init__(self, num_samples):
        rng = np.random.RandomState(0)
        self.points = rng.uniform(-1, 1, (num_samples, 2)).astype("float32")
        self.labels = ((self.points**2).sum(1) < 0.5).astype("int64")

    def __getitem__(self, index):
        return self.points[index], self.labels[index]

    def __len__(self):
        return len(self.points)


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(2, 32)
        self.norm = nn.BatchNorm1D(32)
        self.out = nn.Linear(32, 2)

    def forward(self, x):
        return self.out(F.relu(self.norm(self.hidden(x))))


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--out")
args = parser.parse_args()

paddle.seed(0)
net = Net()
schedule = paddle.optimizer.lr.StepDecay(0.02, step_size=6)
optimizer = paddle.optimizer.Adam(schedule, parameters=net.parameters())
loader = DataLoader(Rings(512), batch_size=32, shuffle=True, drop_last=True)
for epoch in range(args.epochs):
    net.train()
    for points, labels in loader:
        loss = F.cross_entropy(net(points), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    schedule.step()
net.eval()
with paddle.no_grad():
    test = Rings(256)
    scores = net(paddle.to_tensor(test.points))
    right = (scores.argmax(axis=1) == paddle.to_tensor(test.labels)).astype("float32").mean()
paddle.save(net.state_dict(), args.out + "/net.pdparams")
again = Net()
again.set_state_dict(paddle.load(args.out + "/net.pdparams"))
again.eval()
same = bool((again(paddle.to_tensor(test.points)) == scores).all())
print("accuracy", round(float(right), 3), "same", same, "rate", optimizer.get_lr())
'''


def test_a_paddle_training_script_runs_unmodified(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(_SCRIPT)
    done = subprocess.run(
        [sys.executable, "-m", "proa.compat", str(script), "--epochs", "8", "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    assert words[0] == "accuracy"
    assert float(words[1]) > 0.85
    assert words[3:] == ["True", "rate", "0.002"]
