"""Static room: descriptions of inputs (the rest of the static API has its own issue)."""

from proa.program import InputSpec as InputSpec
