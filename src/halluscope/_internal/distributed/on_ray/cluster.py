"""The Ray cluster: reaching one, what it has, and errors that come back from it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from ...errors import InputError, MissingExtra, RunFailed

_SAYS_MUCH = {"ray.data": logging.WARNING, "ray.data._internal.progress": logging.ERROR}


def ray_module() -> ModuleType:
    """Ray with its part for data, or the sentence that says how to get it."""
    try:
        import_module("ray.data")
    except ImportError as error:
        raise MissingExtra("ray", "scoring on a Ray cluster") from error
    return import_module("ray")


@contextmanager
def connected(address: str | None = None) -> Iterator[ModuleType]:
    """Ray, connected to the cluster at the address, else to the one that Ray finds, else to one on this machine.

    A connection that is there already is used, and left as it is.
    """
    ray = ray_module()
    if ray.is_initialized():
        if address is not None and address not in ("auto", _address(ray)):
            raise InputError(f"Ray is connected to another cluster than {address} already: leave the address out.")
        with _quiet():
            yield ray
        return
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # its notes to those who work on Ray go to our terminal
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=None)
    except (ConnectionError, ValueError, RuntimeError) as error:
        where = "a Ray cluster" if address is None else f"the Ray cluster at {address}"
        raise InputError(f"{where} cannot be reached: {_line(error)}.") from error
    try:
        with _quiet():
            yield ray
    finally:
        ray.shutdown()


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what Ray says of every dataset; how far it is we show ourselves."""
    loggers = {logging.getLogger(name): level for name, level in _SAYS_MUCH.items()}
    before = {logger: logger.level for logger in loggers}
    for logger, level in loggers.items():
        logger.setLevel(level)
    try:
        yield
    finally:
        for logger, level in before.items():
            logger.setLevel(level)


def _address(ray: Any) -> str:
    return str(ray.get_runtime_context().gcs_address)


def room_for(ray: Any, cpus: float, gpus: float) -> int:
    """How many workers of that size the cluster has room for, one at least."""
    there = ray.cluster_resources()
    fits = [there.get(kind, 0) / wanted for kind, wanted in (("CPU", cpus), ("GPU", gpus)) if wanted]
    if gpus and not there.get("GPU"):
        raise InputError("workers with a GPU are asked for, and the cluster has none: leave --gpus out.")
    return max(1, int(min(fits, default=1)))


@contextmanager
def our_errors() -> Iterator[None]:
    """Whatever Ray raises is a failed run, in one sentence."""
    ray = ray_module()
    try:
        yield
    except ray.exceptions.RayError as error:
        raise RunFailed(f"the cluster failed: {_line(error)}.") from error


def _line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:300].rstrip(".")
