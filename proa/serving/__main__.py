"""`python -m proa.serving MODELS_DIR`."""

from __future__ import annotations

from ._server import main

if __name__ == "__main__":
    main()
