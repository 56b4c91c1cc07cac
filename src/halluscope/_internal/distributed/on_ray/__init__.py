"""On a Ray cluster: who reads, who scores, who hands out permits, and whoever started it all."""
