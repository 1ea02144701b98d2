# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the fields that tsunami writes: legacy VTK, binary, structured points, cell data."""
import numpy as np


def read(path):
    """({name: array[y, x]}, extent in km as (west, east, south, north))."""
    data = path.read_bytes()
    fields, at, cells, spacing = {}, 0, None, None
    while at < len(data):
        end = data.index(b"\n", at)
        words = data[at:end].split()
        at = end + 1
        if words[:1] == [b"DIMENSIONS"]:
            cells = (int(words[2]) - 1, int(words[1]) - 1)
        elif words[:1] == [b"SPACING"]:
            spacing = (float(words[1]), float(words[2]))
        elif words[:1] == [b"SCALARS"]:
            at = data.index(b"\n", at) + 1
            count = cells[0] * cells[1]
            values = np.frombuffer(data, ">f8", count, at).astype(float)
            fields[words[1].decode()] = values.reshape(cells)
            at += 8 * count + 1
    return fields, (0, cells[1] * spacing[0] / 1e3, 0, cells[0] * spacing[1] / 1e3)
