"""What every request meets on its way in and out: access, limits, errors, streams, logs and measures."""
