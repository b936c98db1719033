"""The words in which a workload writes its model, one module per peer.

Every module has `version()`, `make(workload, mode, weights)`, which returns a step that gives its
loss, and a class of words: `conv`, `batch_norm`, `linear`, `seq`, `residual`, ... Weights come in
the order and the layout of Paddle (a linear layer is `[in, out]`, a convolution `OIHW`).
"""
