"""Post the summary of a run as a comment on a pull request; the action's later runs replace it.

It needs GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN, PULL_REQUEST and SUMMARY, and Python alone.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

MARK = "<!-- halluscope -->"
MOST = 60_000
"""Characters of a comment. GitHub refuses more than 65,536."""


def call(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    request = urllib.request.Request(  # the address is GitHub's own
        f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def own_comment(number: str) -> int | None:
    """Return the id of the comment that an earlier run posted."""
    for page in range(1, 100):
        comments = call("GET", f"/issues/{number}/comments?per_page=100&page={page}")
        found = next((comment["id"] for comment in comments if (comment["body"] or "").startswith(MARK)), None)
        if found is not None or len(comments) < 100:
            return found
    return None


def main() -> int:
    summary = Path(os.environ["SUMMARY"])
    if not summary.exists():
        print("halluscope: there is no summary to post: the run did not start.", file=sys.stderr)
        return 0
    number = os.environ["PULL_REQUEST"]
    body = {"body": f"{MARK}\n{summary.read_text(encoding='utf-8')[:MOST]}"}
    try:
        known = own_comment(number)
        if known is None:
            call("POST", f"/issues/{number}/comments", body)
        else:
            call("PATCH", f"/issues/comments/{known}", body)
    except urllib.error.HTTPError as error:
        if error.code not in (401, 403, 404):
            raise
        # A pull request from a fork has a token that may only read: the result is in the step's summary all the same.
        print("halluscope: no comment was posted: the token may not write to pull requests.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
