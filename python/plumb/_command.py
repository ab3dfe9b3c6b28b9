"""The executables, where they came with this package: one file, which goes by the name that it is called by."""

import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).parent / "bin" / "plumb"
    os.execv(program, [os.path.basename(sys.argv[0]), *sys.argv[1:]])
