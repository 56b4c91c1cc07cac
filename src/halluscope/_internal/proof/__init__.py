"""How good is a judge? Labelled sets, benchmarks, stress tests, labels by hand, calibration and gates."""
