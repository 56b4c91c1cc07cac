"""Writes the table of the peers' tests."""

from .table import PAGE, page

PAGE.write_text(page(), encoding="utf-8")
