"""The same scores on many machines: a Ray cluster, or Spark. Ray comes with the extra `ray`, Spark with `spark`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._internal.plumbing.public import loaded_late

if TYPE_CHECKING:
    from ._internal.distributed.cluster_run import ClusterRun
    from ._internal.distributed.on_ray.dataset import score
    from ._internal.distributed.on_ray.ray_run import evaluate
    from ._internal.distributed.spark import spark_udf

__all__ = ["ClusterRun", "evaluate", "score", "spark_udf"]

__getattr__, __dir__ = loaded_late(
    __name__,
    {
        "distributed.cluster_run": "ClusterRun",
        "distributed.on_ray.dataset": "score",
        "distributed.on_ray.ray_run": "evaluate",
        "distributed.spark": "spark_udf",
    },
)
