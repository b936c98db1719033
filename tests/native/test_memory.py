from __future__ import annotations

import pytest

from proa.native import _memory, describe_huge_pages


@pytest.mark.parametrize(
    ("policy", "tunables", "text"),
    [
        ("[always] madvise never", "", "on (the kernel"),
        ("always madvise [never]", "glibc.malloc.hugetlb=1", "off: the kernel gives none"),
        ("always [madvise] never", "a=1:glibc.malloc.hugetlb=1", "on (GLIBC_TUNABLES)"),
        ("always [madvise] never", "", "off: start with GLIBC_TUNABLES=glibc.malloc.hugetlb=1"),
        (None, "", "not known"),
    ],
)
def test_the_state_is_told_with_the_way_to_change_it(tmp_path, monkeypatch, policy, tunables, text):
    kernel = tmp_path / "enabled"
    if policy is not None:
        kernel.write_text(policy)
    monkeypatch.setattr(_memory, "_KERNEL", kernel)
    monkeypatch.setattr(_memory.platform, "libc_ver", lambda: ("glibc", "2.36"))
    monkeypatch.setenv("GLIBC_TUNABLES", tunables)
    assert describe_huge_pages().startswith(text)


def test_another_c_library_cannot(tmp_path, monkeypatch):
    kernel = tmp_path / "enabled"
    kernel.write_text("always [madvise] never")
    monkeypatch.setattr(_memory, "_KERNEL", kernel)
    monkeypatch.setattr(_memory.platform, "libc_ver", lambda: ("musl", ""))
    assert describe_huge_pages() == "off: the C library cannot ask for them"
