"""Labelled cases from public sets and files."""
