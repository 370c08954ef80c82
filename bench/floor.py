"""np.sort as the lower bound ("floor"), in two variants: numpy's choice for this processor, and AVX2.

numpy sorts with AVX-512 where the processor has it. On some processors, this code is several times
slower than numpy's own AVX2 code, so that anything compared with it would look several times too good.
numpy chooses the code when it is imported. Therefore, the AVX2 sort runs in a separate process, in the
same rounds as everything else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

import numpy as np

from bench.timing import seconds_per_call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
DISABLE, ENABLE = "NPY_DISABLE_CPU_FEATURES", "NPY_ENABLE_CPU_FEATURES"


def found_features() -> list[str]:
    """Instruction sets beyond the baseline that this numpy was built for and uses here."""
    config: Any = np.show_config(mode="dicts")
    return list(config.get("SIMD Extensions", {}).get("found", []))


def avx512_features() -> list[str]:
    """The names in `found_features` that mean AVX-512 in this version of numpy."""
    return [name for name in found_features() if name == "X86_V4" or name.startswith("AVX512")]


class AVX2Sort:
    """A process whose numpy may not use AVX-512."""

    def __init__(self) -> None:
        environment = {key: value for key, value in os.environ.items() if key != ENABLE}
        environment[DISABLE] = " ".join([*environment.get(DISABLE, "").split(), *avx512_features()])
        self._directory = tempfile.TemporaryDirectory(prefix="bench-")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.floor"], cwd=ROOT, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        left = self._ask("features")
        if left:
            self.close()
            message = f"numpy still sorts with {', '.join(left)}, although told not to"
            raise RuntimeError(message)

    def _ask(self, *request: Any) -> Any:
        to: IO[str] | None = self._process.stdin
        back: IO[str] | None = self._process.stdout
        if to is None or back is None:
            message = "the process was started without pipes"
            raise RuntimeError(message)
        to.write(json.dumps(request) + "\n")
        to.flush()
        answer = back.readline()
        if not answer:
            message = "the process that sorts with AVX2 has ended"
            raise RuntimeError(message)
        return json.loads(answer)

    def load(self, arrays: Mapping[str, NDArray[np.float64]]) -> None:
        """Hand over the arrays to sort, in place of earlier ones."""
        path = Path(self._directory.name) / "arrays.npz"
        np.savez(path, *arrays.values())
        self._ask("load", str(path), list(arrays))
        path.unlink()

    def time(self, name: str, calls: int) -> float:
        """Return the seconds that sorting one of the arrays takes, the mean of some calls."""
        return float(self._ask("time", name, calls))

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
        self._directory.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve() -> None:
    """Answer the requests of `AVX2Sort`, one JSON array a line."""
    arrays: dict[str, NDArray[np.float64]] = {}
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        answer: Any = None
        if command == "features":
            answer = avx512_features()
        elif command == "load":
            path, names = arguments
            with np.load(path) as stored:
                arrays = {name: stored[f"arr_{i}"] for i, name in enumerate(names)}
        else:
            name, calls = arguments
            answer = seconds_per_call(partial(np.sort, arrays[name]), calls)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
