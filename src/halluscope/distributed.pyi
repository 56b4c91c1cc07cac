from ._internal.cluster.cluster_run import ClusterRun as ClusterRun
from ._internal.cluster.on_ray.dataset import score as score
from ._internal.cluster.on_ray.ray_run import evaluate as evaluate
from ._internal.cluster.spark import spark_udf as spark_udf
