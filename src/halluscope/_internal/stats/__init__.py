"""The figures by which a judge is measured, in plain numpy, which is loaded with the first of them.

Everywhere the positive class is "hallucinated": `truth` says which cases are, `said` which ones a
judge called so, `scores` how strongly it thinks so. A figure that is not defined (precision where
nothing was flagged, AUROC with one class) is NaN, never a made-up 0 or 1. Every figure takes
`weights`: how often each case counts, which is all that a bootstrap needs.
"""
