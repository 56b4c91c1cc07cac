"""Connecting to a Ray cluster, its resources, and its errors."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from ...core.errors import InputError, MissingExtra, RunFailed

_LOG_LEVELS = {"ray.data": logging.WARNING, "ray.data._internal.progress": logging.ERROR}


def ray_module() -> ModuleType:
    """Import Ray. Raises `MissingExtra` if it is not installed."""
    try:
        import_module("ray.data")
    except ImportError as error:
        raise MissingExtra("ray", "scoring on a Ray cluster") from error
    return import_module("ray")


@contextmanager
def connected(address: str | None = None) -> Iterator[ModuleType]:
    """Connect to the cluster at the address, else the one that Ray finds, else a new one on this machine.

    An open connection is used and stays open. An error of Ray inside becomes `RunFailed` with one sentence.
    """
    ray = ray_module()
    ours = not ray.is_initialized()
    if ours:
        _connect(ray, address)
    elif address not in (None, "auto", str(ray.get_runtime_context().gcs_address)):
        raise InputError(f"Ray is connected to another cluster than {address} already: leave the address out.")
    # Ray Data's log repeats its own progress for every dataset.
    levels = [(log, log.level) for log in map(logging.getLogger, _LOG_LEVELS)]
    for log, _ in levels:
        log.setLevel(_LOG_LEVELS[log.name])
    try:
        yield ray
    except ray.exceptions.RayError as error:
        raise RunFailed(f"the cluster failed: {_line(error)}.") from error
    finally:
        for log, level in levels:
            log.setLevel(level)
        if ours:
            ray.shutdown()


def _connect(ray: Any, address: str | None) -> None:
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # messages for developers of Ray
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no telemetry from a cluster started here
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=None)
    except (ConnectionError, ValueError, RuntimeError) as error:
        where = "a Ray cluster" if address is None else f"the Ray cluster at {address}"
        raise InputError(f"{where} cannot be reached: {_line(error)}.") from error


def room_for(ray: Any, cpus: float, gpus: float) -> int:
    """Return how many workers of this size fit into the cluster, at least one."""
    there = ray.cluster_resources()
    fits = [there.get(kind, 0) / wanted for kind, wanted in (("CPU", cpus), ("GPU", gpus)) if wanted]
    if gpus and not there.get("GPU"):
        raise InputError("workers with a GPU are asked for, and the cluster has none: leave --gpus out.")
    return max(1, int(min(fits, default=1)))


def _line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:300].rstrip(".")
