"""The sections of a report, each a piece of HTML, empty when the run has nothing for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._charts import Limit, Series, bar_chart, confusion_chart, escape, line_chart
from ._png import image_uri
from ._run_record import LAYERS, accuracy_of, need, same_size, state_of
from ._scales import digits_text, number_text


def mark(state: str, css: str = "mark") -> str:
    """A round sign for `pass`, `fail` or `skip`."""
    colour = {"pass": "good", "fail": "bad", "skip": "skipped"}[state]
    path = {
        "pass": "M7 12.5l3.4 3.4L17.2 9",
        "fail": "M8 8l8 8M16 8l-8 8",
        "skip": "M7.5 12h9",
    }[state]
    word = {"pass": "passed", "fail": "failed", "skip": "not checked"}[state]
    return (
        f'<svg class="{css} {colour}" viewBox="0 0 24 24" role="img" aria-label="{word}">'
        f'<circle cx="12" cy="12" r="11" fill="currentColor"/><path d="{path}" fill="none" '
        'stroke="var(--card)" stroke-width="2.4" stroke-linecap="round" '
        'stroke-linejoin="round"/></svg>'
    )


def _section(title: str, lead: str, body: str) -> str:
    lead = f'<p class="lead">{lead}</p>' if lead else ""
    return f"<section><h2>{escape(title)}</h2>{lead}{body}</section>"


def curves_section(run: Mapping[str, Any], comparison: Mapping[str, Any] | None) -> str:
    """The curves, and the difference of the compared ones beside them."""
    curves = run.get("curves")
    if not curves:
        return ""
    colours: dict[str, int] = {}
    cards = []
    for key, curve in curves.items():
        chart = line_chart(
            _series(need(curve, "series", f"curves[{key!r}]"), colours, key),
            title=curve.get("title", key),
            x_label=curve.get("x_label", "step"),
            y_label=curve.get("y_label", key),
            scale=curve.get("scale", "auto"),
            percent=bool(curve.get("percent", False)),
        )
        cards.append(f"<h3>{escape(curve.get('title', key.capitalize()))}</h3>{chart}")
        if comparison and comparison["curve"] == key and comparison["series"]:
            cards.append(_difference(comparison, colours, curve))
    body = "".join(
        f'<div class="card{_whole(index, len(cards))}">{card}</div>'
        for index, card in enumerate(cards)
    )
    return _section("Training", "", f'<div class="columns">{body}</div>')


def _whole(index: int, count: int) -> str:
    return " whole" if index == count - 1 and count % 2 else ""


def _series(items: Iterable[Mapping[str, Any]], colours: dict[str, int], key: str) -> list[Series]:
    series = []
    for item in items:
        name, x, y = (need(item, part, f"curves[{key!r}]") for part in ("name", "x", "y"))
        same_size(f"positions and values of {name!r} in curves[{key!r}]", len(x), len(y))
        colour = colours.setdefault(name, len(colours) % 6)
        series.append(Series(name=name, x=x, y=y, colour=colour))
    return series


def _difference(
    comparison: Mapping[str, Any], colours: dict[str, int], curve: Mapping[str, Any]
) -> str:
    limit, until = need(comparison, "limit", "comparison"), comparison.get("num_steps")
    chart = line_chart(
        _series(comparison["series"], colours, "difference"),
        title=f"Relative difference to {comparison['reference']}",
        x_label=curve.get("x_label", "step"),
        y_label="relative difference",
        scale="log",
        limit=Limit(value=limit, until=until),
    )
    rows = []
    for name, largest in comparison["largest"].items():
        within = largest <= limit
        css, word = ("good", "within the limit") if within else ("bad", "above the limit")
        value = "equal to the last bit" if largest == 0 else f"at most {digits_text(largest)}"
        rows.append(f'<b>{escape(name)}</b>: {value} <span class="{css}">({word})</span>')
    span = f"In the first {until:g} steps: " if until is not None else ""
    title = f"Relative difference to {escape(comparison['reference'])}"
    return f"<h3>{title}</h3>{chart}<p>{span}{'; '.join(rows)}.</p>"


def confusion_section(run: Mapping[str, Any]) -> str:
    """The confusion matrix, the most frequent mistakes and the hardest classes."""
    confusion = run.get("confusion")
    if not confusion:
        return ""
    names = need(confusion, "class_names", "confusion")
    matrix = need(confusion, "matrix", "confusion")
    same_size("rows of the confusion matrix and class names", len(matrix), len(names))
    for name, row in zip(names, matrix, strict=True):
        same_size(f"columns of the confusion matrix in row {name!r}", len(row), len(names))
    recalls = sorted((row[i] / (sum(row) or 1), names[i]) for i, row in enumerate(matrix))
    mistakes = sorted(
        (-count, names[i], names[j])
        for i, row in enumerate(matrix)
        for j, count in enumerate(row)
        if i != j and count
    )
    hardest = "".join(f"<li>{escape(n)}<b>{r:.1%} found</b></li>" for r, n in recalls[:5])
    frequent = "".join(
        f"<li>{escape(true)} → {escape(predicted)}<b>{-count:,}×</b></li>"
        for count, true, predicted in mistakes[:6]
    )
    accuracy = accuracy_of(run)
    lead = "" if accuracy is None else f"{accuracy:.2%} of all test items are on the diagonal."
    return _section(
        "Confusion matrix",
        lead,
        '<div class="columns wide-left"><div class="card scroll">'
        f'{confusion_chart(matrix, names)}</div><div><div class="card"><h3>Most frequent mistakes '
        f'</h3><ul class="rank">{frequent or "<li>none</li>"}</ul></div><div class="card" '
        f'style="margin-top:18px"><h3>Hardest classes</h3><ul class="rank">{hardest}</ul></div>'
        "</div></div>",
    )


def samples_section(run: Mapping[str, Any]) -> str:
    """Images with what the model says of them; wrong answers are marked."""
    samples = run.get("samples")
    if not samples:
        return ""
    figures, wrong = [], 0
    for sample in samples:
        true, predicted = (need(sample, key, "samples") for key in ("true", "predicted"))
        confidence = sample.get("confidence")
        right = true == predicted
        wrong += not right
        sure = "" if confidence is None else f"{confidence:.0%} sure"
        width = 0 if confidence is None else 100 * confidence
        truth = sure if right else f"{sure}{', ' if sure else ''}in truth {escape(true)}"
        figures.append(
            f'<figure class="{"right" if right else "wrong"}"><img alt="{escape(true)}" '
            f'src="{image_uri(need(sample, "image", "samples"))}"><figcaption><div class="sure">'
            f'<i style="width:{width:.0f}%"></i></div><b>{"" if right else "✗ "}'
            f"{escape(predicted)}</b><small>{truth}</small></figcaption></figure>"
        )
    lead = f"{len(samples)} test items with what the exported model says; {wrong} of them wrong."
    return _section("Sample predictions", lead, f'<div class="samples">{"".join(figures)}</div>')


def data_section(run: Mapping[str, Any]) -> str:
    """Classes, shapes and values of the data, and what the data check found."""
    data = run.get("data")
    if not data:
        return ""
    names = need(data, "class_names", "data")
    parts = {name: need(data, name, "data") for name in ("train", "test")}
    groups = {
        name: [part["class_counts"].get(str(label), 0) for label in range(len(names))]
        for name, part in parts.items()
    }
    keys = "".join(
        f'<li><svg class="key" viewBox="0 0 34 10" aria-hidden="true"><rect class="bar c{index}" '
        f'width="34" height="10" rx="2.5"/></svg>{name}<b>{sum(groups[name]):,}</b></li>'
        for index, name in enumerate(groups)
    )
    chart = bar_chart(names, groups, title="Items of each class")
    facts = {}
    for name, part in parts.items():
        kinds = ", ".join(
            f"{shape} {dtype}" for shape in part["shapes"] for dtype in part["dtypes"]
        )
        facts[f"{name} images"] = f"{part['num_items']:,} of {kinds or 'unknown shape'}"
        if part["mean"] is not None:
            spread = f"{number_text(part['minimum'])} to {number_text(part['maximum'])}"
            moments = f"mean {number_text(part['mean'])}, std {number_text(part['std'])}"
            facts[f"{name} values"] = f"{spread}, {moments}"
        facts[f"{name} repeats"] = f"{len(part['duplicates'])} images occur again"
        facts[f"{name} unreadable"] = f"{len(part['unreadable'])} items"
    facts["in train and test"] = f"{len(data['shared'])} images"
    facts["checked in"] = f"{data['seconds']:.2f} s"
    notes = _notes(data["problems"], "problems") + _notes(data["warnings"], "problems mild")
    verdict = f"{mark('pass' if data['passed'] else 'fail')} The data check "
    verdict += "found no problem." if data["passed"] else "found problems."
    return _section(
        "Data",
        "",
        f'<div class="columns"><div class="card"><h3>Items of each class</h3><ul class="legend">'
        f'{keys}</ul>{chart}</div><div class="card"><h3>{verdict}</h3>{_facts(facts)}{notes}</div>'
        "</div>",
    )


def _notes(texts: Sequence[str], css: str) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f'<ul class="{css}">{items}</ul>' if items else ""


def _facts(facts: Mapping[str, Any]) -> str:
    rows = (
        f"<dt>{escape(name)}</dt><dd>{escape(number_text(value))}</dd>"
        for name, value in facts.items()
    )
    return f'<dl class="facts">{"".join(rows)}</dl>'


def steps_section(run: Mapping[str, Any]) -> str:
    """How long each step of the run took."""
    steps = run.get("steps")
    if not steps:
        return ""
    names = [need(step, "name", "steps") for step in steps]
    seconds = [round(float(need(step, "seconds", "steps")), 2) for step in steps]
    chart = bar_chart(names, {"seconds": seconds}, title="Duration of each step", unit=" s")
    notes = {step["name"]: step["note"] for step in steps if step.get("note")}
    if not notes:
        return _section("Time", "", f'<div class="card">{chart}</div>')
    columns = f'<div class="card">{chart}</div><div class="card">{_facts(notes)}</div>'
    return _section("Time", "", f'<div class="columns">{columns}</div>')


def layer_tables(layers: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """What was measured and expected in each of the five layers."""
    tables = []
    for name, checks in layers.items():
        state = state_of(checks)
        counted = [check for check in checks if check["passed"] is not None]
        passed = sum(bool(check["passed"]) for check in counted)
        tally = f"{passed} of {len(counted)} passed" if counted else "not checked"
        rows = "".join(_row(check) for check in checks)
        table = (
            "<table><thead><tr><th>check</th><th>measured</th><th>expected</th><th>result</th>"
            f"</tr></thead><tbody>{rows}</tbody></table>"
        )
        tables.append(
            f'<details open class="card layer {state}" id="layer-{name}"><summary>{mark(state)}'
            f'<h3>{name.capitalize()}</h3><span class="about">{escape(LAYERS[name])}</span>'
            f'<span class="tally">{tally}</span></summary>{table if checks else ""}</details>'
        )
    return _section("Verification", "", "".join(tables))


def _row(check: Mapping[str, Any]) -> str:
    state = {True: "pass", False: "fail", None: "skip"}[check["passed"]]
    word = {"pass": "passed", "fail": "failed", "skip": "skipped"}[state]
    colour = {"pass": "good", "fail": "bad", "skip": "skipped"}[state]
    note = f"<small>{escape(check['note'])}</small>" if check.get("note") else ""
    return (
        f'<tr class="{state}"><td>{escape(check["name"])}{note}</td>'
        f'<td data-name="measured">{escape(number_text(check.get("measured")))}</td>'
        f'<td data-name="expected">{escape(number_text(check.get("expected")))}</td>'
        f'<td class="result {colour}">{mark(state)} {word}</td></tr>'
    )


def lineage_section(run: Mapping[str, Any]) -> str:
    """Where the results come from: versions, seeds, hashes, and the commands that repeat them."""
    lineage = run.get("lineage")
    if not lineage:
        return ""
    cards = []
    for heading, content in lineage.items():
        if isinstance(content, Mapping):
            # Seeds and versions are names, which digits in groups of three would spoil.
            body = _facts({key: str(value) for key, value in content.items()})
        else:
            body = f"<pre>{escape(chr(10).join(map(str, content)))}</pre>"
        cards.append((f"<h3>{escape(heading.capitalize())}</h3>{body}", content))
    # Commands are long lines and get the whole width.
    cards.sort(key=lambda card: not isinstance(card[1], Mapping))
    num_facts = sum(isinstance(content, Mapping) for _, content in cards)
    columns = []
    for index, (card, content) in enumerate(cards):
        whole = _whole(index, num_facts) if isinstance(content, Mapping) else " whole"
        columns.append(f'<div class="card{whole}">{card}</div>')
    return _section("Lineage", "", f'<div class="columns">{"".join(columns)}</div>')
