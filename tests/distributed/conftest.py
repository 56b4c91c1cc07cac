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
        """As if somebody had pulled the plug."""
        self._made.remove_node(self._working.pop(), allow_graceful=False)


@pytest.fixture(scope="session")
def nodes() -> Iterator[Nodes]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Ray warns of in its own code is not ours to mend
        import ray
        from ray.cluster_utils import Cluster

        quick = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500, "health_check_failure_threshold": 4}
        head = {
            "num_cpus": 0,
            "object_store_memory": 80 * 2**20,
            "include_dashboard": False,
            "_system_config": quick,  # that a node is gone is noticed after two seconds
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


@pytest.fixture
def cluster(nodes: Nodes) -> Nodes:
    nodes.at_least(2)
    return nodes
