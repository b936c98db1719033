"""Names of `proa.jit._executables` for this room: one mechanism keeps all executables."""

from __future__ import annotations

from proa.jit._executables import ExecutableStore as ExecutableStore
from proa.jit._executables import digest_of as digest_of
from proa.jit._executables import home_folder as home_folder
from proa.jit._executables import mac_of as mac_of
from proa.jit._executables import machine_fingerprint as machine_fingerprint
from proa.jit._executables import source_fingerprint as source_fingerprint
from proa.jit._executables import touch as touch
from proa.jit._executables import trim_folder as trim_folder
