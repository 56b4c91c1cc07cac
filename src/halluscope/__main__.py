"""`python -m halluscope`, for where the command is not on the path."""

from ._internal.cli import main

if __name__ == "__main__":
    main()
