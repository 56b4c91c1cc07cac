"""What commands print and write: runs, results, and files for CI."""
