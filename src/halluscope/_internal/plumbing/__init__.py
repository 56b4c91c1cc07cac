"""Small tools that know nothing of judging: two worlds of calls, time limits, files written whole."""
