# A smaller model: the weights of a GGUF file without some of its layers, and the others numbered anew.

import re
import struct
from pathlib import Path

SIZES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
BLOCK = re.compile(rb"^blk\.(\d+)\.")


class Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, form: str):
        value = struct.unpack_from("<" + form, self.data, self.at)[0]
        self.at += struct.calcsize("<" + form)
        return value

    def string(self) -> bytes:
        length = self.take("Q")
        self.at += length
        return self.data[self.at - length : self.at]

    def skip(self, kind: int) -> None:
        if kind == STRING:
            self.string()
        elif kind == ARRAY:
            inner, count = self.take("I"), self.take("Q")
            if inner in SIZES:
                self.at += struct.calcsize("<" + SIZES[inner]) * count
            else:
                for _ in range(count):
                    self.skip(inner)
        else:
            self.take(SIZES[kind])


def string(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


def fewer_layers(source: Path, target: Path, first: int, count: int) -> None:
    data = source.read_bytes()
    reader = Reader(data)
    if data[:4] != b"GGUF":
        raise SystemExit(f"{source} is not a GGUF file")
    reader.at = 4
    version, tensors, pairs = reader.take("I"), reader.take("Q"), reader.take("Q")
    alignment, values = 32, []
    for _ in range(pairs):
        begin = reader.at
        key, kind = reader.string(), reader.take("I")
        value_at = reader.at
        reader.skip(kind)
        text = data[begin : reader.at]
        if key.endswith(b".block_count"):
            (layers,) = struct.unpack_from("<I", data, value_at)
            text = data[begin:value_at] + struct.pack("<I", layers - count)
        if key == b"general.alignment":
            (alignment,) = struct.unpack_from("<I", data, value_at)
        values.append(text)
    infos = []
    for _ in range(tensors):
        name, dimensions = reader.string(), reader.take("I")
        shape = [reader.take("Q") for _ in range(dimensions)]
        infos.append((name, shape, reader.take("I"), reader.take("Q")))
    base = -(-reader.at // alignment) * alignment
    ends = sorted([offset for *_, offset in infos] + [len(data) - base])
    kept, offset = [], 0
    for name, shape, kind, at in infos:
        found = BLOCK.match(name)
        layer = int(found.group(1)) if found else -1
        if first <= layer < first + count:
            continue
        if layer >= first + count:
            name = BLOCK.sub(b"blk.%d." % (layer - count), name)
        part = data[base + at : base + ends[ends.index(at) + 1]]
        kept.append((name, shape, kind, offset, part))
        offset += -(-len(part) // alignment) * alignment
    head = b"GGUF" + struct.pack("<IQQ", version, len(kept), pairs) + b"".join(values)
    for name, shape, kind, at, _ in kept:
        head += string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, at)
    target.write_bytes(b"".join(text + b"\0" * (-len(text) % alignment) for text in [head, *(part for *_, part in kept)]))
