"""The other tools' names for what halluscope does: change the import, keep the code.

Each module translates one tool's calls and results. None has a prompt or does any I/O of its own.
"""
