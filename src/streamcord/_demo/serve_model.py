"""The process of the model: llama.cpp's own server, on loopback. It imports nothing of ours.

It prints its address, and ends when its standard input does: whoever started it may even be killed.
"""

from __future__ import annotations

import os
import sys

__all__ = ["serve"]


def serve(weights: str, threads: int) -> None:
    """Serve until standard input ends."""
    import xllamacpp  # type: ignore[import-not-found]  # noqa: PLC0415  (lies in the model's folder)

    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 4096
    params.n_parallel = 1
    params.ui = False
    params.verbosity = 0
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = threads
        # Threads that spin while they wait take the time of everybody else on a small machine.
        cpu.poll = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    # Its destructor waits for an answer that nobody will read.
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
