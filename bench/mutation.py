"""Mutation of the kernels: whether a test notices that their source is wrong.

``python -m bench.mutation`` changes one operator, comparison or constant of a kernel at a time, runs
the tests that call the changed function, without the compiler and until the first fails, and counts
the changes that no test notices. ``python -m bench.mutation sums --sample 40`` takes 40 changes of one
file. The scores go to docs/_data/mutation.json, of which the page on the tests is made.

The tests are those that fit into `FIRST` seconds without the compiler, file by file in turn, without
those that take more than `SLOW`; of those that call a function, its changes go through the fastest
`BUDGET` seconds. A change that no test notices stands in `EQUIVALENT` with the reason why none can, or
asks for a test.
Sizes of work space, chunks and lanes at the top of a file are not changed: results do not depend on
them.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import random
import resource
import signal
import sys
import time
import types
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pytest

ROOT = Path(__file__).parents[1]
KERNELS = ROOT / "fastarac" / "_kernels"
RESULT = ROOT / "docs" / "_data" / "mutation.json"
EQUIVALENT = Path(__file__).with_name("mutation_equivalent.json")
SAMPLE = 15  # changes a file
FIRST = 80.0  # seconds of processor time for the tests without any change
SLOW = 5.0  # for one of them
BUDGET = 40.0  # for those that a change goes through
PATIENCE = 5  # times as long as without a change, and a loop is taken for endless
MEMORY = 6 << 30

TESTS = {  # the first are run first
    "adaptive_search": "partial_truth/adaptive_search",
    "estimated": "partial_truth/predictions partial_truth/truth partial_truth/designs",
    "numbered": "partial_truth/predictions",
    "sums": "engine/weights metrics/exhaustive engine/sums engine/corners metrics/invariances "
    "evaluation/evaluation",
    "numbering": "costs/cost_matrix costs/bcost engine/groups",
    "counting": "metrics/exhaustive engine/sorting engine/sweep",
    "curve_points": "metrics/exhaustive dropins/dropin measures/folds "
    "measures/ranking_measures dropins/arguments",
    "double_double": "engine/weights engine/sorting engine/sums metrics/invariances",
    "groups": "engine/groups",
    "hulls": "costs/roc_hull costs/verification_costs costs/rejection_costs costs/preferences",
    "influence": "uncertainty/influence uncertainty/asymptotic",
    "isotonic": "operation/calibration",
    "limits": "evaluation/evaluation",
    "measures": "engine/sums measures/confusion_measures",
    "smaller_class": "engine/corners engine/sorting engine/sums",
    "quantized_keys": "engine/sorting engine/sums",
    "ranking": "measures/ranking_measures",
    "bootstrap": "uncertainty/bootstrap uncertainty/bootstrap_tables uncertainty/bootstrap_bands "
    "uncertainty/bootstrap_intervals uncertainty/bootstrap_draws",
    "bootstrap_draws": "uncertainty/bootstrap_draws uncertainty/bootstrap_tables costs/bcost "
    "uncertainty/bootstrap",
    "runs": "engine/corners engine/sorting uncertainty/bootstrap_tables",
    "sketch": "bounds/sketch",
    **dict.fromkeys(
        ("keys", "sort", "ties"),
        "metrics/exhaustive engine/sorting engine/inputs engine/sweep engine/robustness engine/groups",
    ),
    "weighted": "engine/weights engine/sorting engine/sums metrics/invariances",
    "weighted_pairs": "engine/weights engine/sorting engine/sums metrics/invariances",
}

OPERATORS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitAnd,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}


class Mutant(NamedTuple):
    """One change of one function."""

    index: int
    function: str
    change: str
    """The expression before and after; a number where a function has the same one several times."""
    line: int

    @property
    def name(self) -> str:
        """The function and its change: the line may move."""
        return f"{self.function}: {self.change}"


# --- Changes -----------------------------------------------------------------------------------


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """The node with one change, for every change that there is."""
    if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp):
        for operator in OPERATORS.get(type(node.op), ()):
            other: Any = copy.copy(node)
            other.op = operator()
            yield other
    elif isinstance(node, ast.Compare):
        for place, found in enumerate(node.ops):
            for operator in OPERATORS.get(type(found), ()):
                other = copy.copy(node)
                other.ops = [*node.ops[:place], operator(), *node.ops[place + 1 :]]
                yield other
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.Constant):
        for value in other_values(node.value):
            yield ast.copy_location(ast.Constant(value), node)


def other_values(value: object) -> tuple[Any, ...]:
    """What a constant becomes."""
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (value + 1, value - 1)
    if isinstance(value, float):
        return (2 * value if value else 1.0,)
    return ()


def places(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Every expression and statement below a node, as where it is held; not types, not text."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"} or isinstance(node, ast.arguments):
            continue
        for index, child in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(child, ast.AST) and not is_text(child):
                yield node, name, index if isinstance(value, list) else None
                yield from places(child)


def is_text(node: ast.AST) -> bool:
    """Whether a statement is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def source(module: str) -> ast.Module:
    """Read a file of kernels."""
    return ast.parse((KERNELS / f"{module}.py").read_text(encoding="utf-8"))


def changes(tree: ast.Module) -> Iterator[Mutant]:
    """Change the tree, yield what was changed, and change it back: one change after the other."""
    number = 0
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        seen: dict[str, int] = {}
        for parent, name, index in list(places(function)):
            held = getattr(parent, name)
            node = held if index is None else held[index]
            for other in changed(node):
                before = words(node, parent)
                put(parent, name, index, other)
                change = f"{before}  →  {words(other, parent)}"
                seen[change] = seen.get(change, 0) + 1
                if seen[change] > 1:
                    change = f"{change}  ({seen[change]})"
                yield Mutant(number, function.name, change, getattr(node, "lineno", function.lineno))
                put(parent, name, index, node)
                number += 1


def put(parent: ast.AST, name: str, index: int | None, node: ast.AST) -> None:
    """Write a node to where another one is held."""
    if index is None:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[index] = node


def words(node: ast.AST, parent: ast.AST) -> str:
    """The source of an expression; of a bare constant, with what is around it."""
    if isinstance(node, ast.Constant) and not isinstance(parent, ast.FunctionDef):
        node = parent
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).splitlines()[0]


def install(module: str, tree: ast.Module) -> types.ModuleType:
    """Give the functions of the running module the code of the changed source."""
    running = import_module(f"fastarac._kernels.{module}")
    code = compile(ast.fix_missing_locations(tree), running.__file__ or module, "exec")
    other = types.ModuleType(running.__name__)
    other.__dict__.update(__package__=running.__package__, __file__=running.__file__)
    exec(code, other.__dict__)
    for name, function in vars(running).items():
        if isinstance(function, types.FunctionType) and function.__module__ == running.__name__:
            function.__code__ = getattr(other, name).__code__
    return running


def install_change(module: str, mutant: Mutant) -> None:
    """Install one change."""
    tree = source(module)
    next(change for change in changes(tree) if change.index == mutant.index)  # the tree stays as it is
    install(module, tree)


def watch(module: str, called: set[str]) -> None:
    """Let every function of the file say that it is called."""
    tree = source(module)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            function.body[:0] = ast.parse(f"_called.add({function.name!r})").body
    vars(install(module, tree))["_called"] = called


# --- Tests -------------------------------------------------------------------------------------


class Timed(NamedTuple):
    """A test, how long it takes, and the functions of the file that it calls."""

    index: int
    seconds: float
    calls: frozenset[str]


class Plugin:
    """Runs the collected tests once as they are, then once for each change, each time in a fork."""

    def __init__(self, module: str, sample: int, seed: int) -> None:
        self.module = module
        self.every = list(changes(source(module)))
        chosen = random.Random(seed).sample(self.every, min(sample, len(self.every)))
        self.chosen = sorted(chosen, key=lambda mutant: mutant.line)
        self.survivors: list[tuple[Mutant, str]] = []
        self.called: set[str] = set()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take the place of pytest's own loop."""
        timed = self.without_change(session)
        for mutant in self.chosen:
            calling = [test for test in timed if mutant.function in test.calls]
            tests: list[Timed] = []
            for test in sorted(calling, key=lambda test: test.seconds):
                if sum(each.seconds for each in tests) < BUDGET:
                    tests.append(test)
            if not tests:
                self.survivors.append((mutant, "no test calls the function"))
                continue
            if self.passes(session, mutant, tests):
                self.survivors.append((mutant, f"{len(tests)} tests passed"))
                print(f"\nsurvives: {self.module}, line {mutant.line}, {mutant.name}", flush=True)
        return True

    def without_change(self, session: pytest.Session) -> list[Timed]:
        """Time every test, and see which functions it calls."""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            watch(self.module, self.called)
            rows = []
            for index in in_turn([item.path for item in session.items]):
                if time.process_time() > FIRST:
                    break
                rows.append(self.timed(session, index))
            with os.fdopen(write, "w") as out:
                json.dump(rows, out)
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as lines:
            rows = json.load(lines)
        os.waitpid(child, 0)
        print(f"{self.module}: {len(rows)} tests, {sum(row[1] for row in rows):.0f} s", flush=True)
        for index, *_, passed in rows:
            if not passed:  # it needs the compiler, or all of the processor
                print(f"left out, as it fails without any change: {session.items[index].nodeid}")
        timed = [
            Timed(index, seconds, frozenset(calls)) for index, seconds, calls, passed in rows if passed
        ]
        return [test for test in timed if test.seconds < SLOW]

    def timed(self, session: pytest.Session, index: int) -> tuple[int, float, list[str], bool]:
        """Run a test and note the functions of the file that it calls."""
        self.called.clear()
        begin, failed = time.process_time(), session.testsfailed
        run(session, index)
        seconds = time.process_time() - begin
        return index, seconds, sorted(self.called), session.testsfailed == failed

    def passes(self, session: pytest.Session, mutant: Mutant, tests: list[Timed]) -> bool:
        """Whether all the tests pass with the change, in time."""
        child = os.fork()
        if child == 0:
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            signal.setitimer(signal.ITIMER_PROF, 3 + PATIENCE * sum(test.seconds for test in tests))
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            try:
                install_change(self.module, mutant)
                for test in tests:
                    run(session, test.index)
                    if session.testsfailed:
                        os._exit(1)
            except BaseException:  # noqa: BLE001  whatever it is, it was noticed
                os._exit(1)
            os._exit(0)
        return os.waitpid(child, 0)[1] == 0


def in_turn(files: Sequence[object]) -> list[int]:
    """Return the places of the tests so that their files take turns: the time is short."""
    tests: dict[object, list[int]] = {}
    for index, file in enumerate(files):
        tests.setdefault(file, []).append(index)
    return [index for turn in zip_longest(*tests.values()) for index in turn if index is not None]


def run(session: pytest.Session, index: int) -> None:
    """Run one of the collected tests."""
    item = session.items[index]
    session.config.hook.pytest_runtest_protocol(item=item, nextitem=None)


# --- Result ------------------------------------------------------------------------------------


def processor_time() -> float:
    """Seconds of this process and of those that it waited for."""
    return sum(os.times()[:4])


def score(module: str, sample: int, seed: int) -> dict[str, Any]:
    """Run one file; what is left over is equivalent, or a survivor."""
    import pytest

    begin = processor_time()
    plugin = Plugin(module, sample, seed)
    tests = [f"tests/{name.replace('/', '/test_')}.py" for name in TESTS[module].split()]
    options = [
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:terminal",
        "--override-ini=addopts=",
    ]
    if code := pytest.main([*options, *tests], plugins=[plugin]):
        message = f"pytest ended with {code}"
        raise RuntimeError(message)
    return {
        "file": f"fastarac/_kernels/{module}.py",
        "changes": len(plugin.every),
        "tried": len(plugin.chosen),
        "noticed": len(plugin.chosen) - len(plugin.survivors),
        "survivors": {mutant.name: why for mutant, why in plugin.survivors},
        "seconds": round(processor_time() - begin),
    }


def main() -> int:
    """Run one file, or start a process for each and put the results together."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="*", choices=[[], *TESTS], help="which of the files of kernels")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="how many changes of each file")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    os.environ.update(NUMBA_DISABLE_JIT="1", HYPOTHESIS_PROFILE="mutation", MPLBACKEND="Agg")
    os.chdir(ROOT)
    rows = []
    for module in options.files or TESTS:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            with os.fdopen(write, "w") as out:
                json.dump(score(module, options.sample, options.seed), out)
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as lines:
            rows.append(json.load(lines))
        os.waitpid(child, 0)
        row = rows[-1]
        print(
            f"{row['file']}: {row['noticed']} of {row['tried']} noticed, {len(unexplained(row))} "
            f"of the others without a reason, {row['seconds']} s",
            flush=True,
        )
        record(row, options.sample, options.seed)
    return int(any(map(unexplained, rows)))


def unexplained(row: dict[str, Any]) -> list[str]:
    """Return the changes that no test noticed and that have no reason in `EQUIVALENT`."""
    reasons = json.loads(EQUIVALENT.read_text(encoding="utf-8"))
    return [name for name in row["survivors"] if name not in reasons.get(Path(row["file"]).stem, {})]


def record(row: dict[str, Any], sample: int, seed: int) -> None:
    """Write the score of a file beside those of the others that are there."""
    found = json.loads(RESULT.read_text(encoding="utf-8"))["files"] if RESULT.exists() else []
    files = {each["file"]: each for each in found} | {row["file"]: row}
    result = {"sample": sample, "seed": seed, "files": [files[name] for name in sorted(files)]}
    RESULT.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
