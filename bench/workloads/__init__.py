"""One workload a file: model, data, step. A file has `WORKLOADS`, a list."""
