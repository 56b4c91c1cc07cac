"""One Ray cluster of several nodes on this machine, for all tests that need one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest


class Nodes:
    """A head that does no work, and nodes with one processor each."""

    def __init__(self, made: Any) -> None:
        self._made = made
        self._working: list[Any] = []

    @property
    def address(self) -> str:
        return str(self._made.address)

    def at_least(self, count: int) -> None:
        """So many nodes that work."""
        while len(self._working) < count:
            self._working.append(self._made.add_node(num_cpus=1, object_store_memory=80 * 2**20))

    def kill_one(self) -> None:
        """As if somebody had pulled the plug. The cluster knows it when this returns."""
        self._made.remove_node(self._working.pop(), allow_graceful=False)
        self._made.wait_for_nodes()


@pytest.fixture(scope="session")
def nodes() -> Iterator[Nodes]:
    patch = pytest.MonkeyPatch()
    patch.setenv("RAY_USAGE_STATS_ENABLED", "0")  # it would tell its makers, and start a process for it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Ray warns of in its own code is not ours to mend
        import ray
        from ray.cluster_utils import Cluster

        settings = {
            # That a node is gone is noticed after six seconds: a machine that is busy with other tests may well be two
            # seconds late with an answer, and a cluster that loses a node while it starts fails them all.
            "health_check_initial_delay_ms": 0,
            "health_check_period_ms": 500,
            "health_check_failure_threshold": 12,
            # Workers are polite by default: beside other tests they would hardly get a turn.
            "worker_niceness": 0,
        }
        head = {
            "num_cpus": 0,
            "object_store_memory": 80 * 2**20,
            "_system_config": settings,
            # Processes that no test has a use for.
            "include_dashboard": False,
            "include_log_monitor": False,
            "no_monitor": True,
        }
        made = Cluster(initialize_head=True, head_node_args=head)
        started = Nodes(made)
        started.at_least(2)
        ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
    yield started
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.shutdown()
        made.shutdown()
    patch.undo()


@pytest.fixture
def cluster(nodes: Nodes) -> Nodes:
    nodes.at_least(2)
    return nodes
