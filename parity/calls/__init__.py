"""The rows, by room: each module has one tuple `CALLS`."""
