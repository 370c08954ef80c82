"""Real clusters: two processes of Spark, of Dask, and a server of PostgreSQL, each started once."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]


def pytest_configure(config: pytest.Config) -> None:
    # streams that Inspect leaves open, which are closed when all is over
    left_open = "ignore:Exception ignored in.*MemoryObject:pytest.PytestUnraisableExceptionWarning"
    config.addinivalue_line("filterwarnings", left_open)
    # Spark and Dask start processes that import the package too, and what the tests send them
    paths = [str(ROOT), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Two worker processes of Spark, which fail tasks up to three times before a job fails."""
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "5000")
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def dask_client() -> Iterator[Any]:
    """Two worker processes of Dask."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], list[list[str]]]]:
    """A server of PostgreSQL in a folder of its own; runs SQL, and returns the rows as texts."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    folder = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    as_user = (
        ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"] if os.getuid() == 0 else []
    )
    if as_user:
        shutil.chown(folder, user, user)
    binary, data = programs[-1], folder / "data"

    def run(program: str, *arguments: str, text: str | None = None) -> str:
        command = [*as_user, str(binary / program), *arguments]
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, cwd=folder, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("initdb", "--pgdata", str(data), "--auth=trust", "--username=test", "--no-sync")
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    run("pg_ctl", "--pgdata", str(data), "--log", str(folder / "log"), "--wait", "-o", options, "start")

    def rows(sql: str) -> list[list[str]]:
        found = run(
            "psql", "--host", str(folder), "--username=test", "--dbname=postgres", "--csv",
            "--tuples-only", "--quiet", "--set=ON_ERROR_STOP=1", text=sql,
        )  # fmt: skip
        return [line.split(",") for line in found.splitlines()]

    try:
        yield rows
    finally:
        run("pg_ctl", "--pgdata", str(data), "--mode=immediate", "stop")
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def items() -> pa.Table:
    """Scores of several kinds: uniform, crowded near 1, logits, rounded ones, one frequent value."""
    rng = np.random.default_rng(3)
    n = 6000
    parts = [rng.random(n), rng.beta(9, 0.2, n), rng.normal(0, 5, n), rng.random(n).round(2)]
    parts += [np.full(n, 0.7), 0.25 + rng.random(n) * 1e-9]
    score = rng.permutation(np.concatenate(parts))
    right = rng.random(len(score)) < 1 / (1 + np.exp(-score))
    field = np.array(["name", "date", "sum"])[rng.integers(0, 3, len(score))]
    weight = rng.choice([0.1, 0.7, 1.3], len(score))
    return pa.table({"score": score, "right": right, "field": field, "w": weight})
