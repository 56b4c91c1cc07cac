"""General tools: synchronous calls of asynchronous code, threads, time limits, atomic files."""
