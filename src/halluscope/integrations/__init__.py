"""halluscope inside other tools: one module for each, imported only when you ask for it.

Each module needs the tool that it is named after, and says which package to install where it is missing.
"""
