"""`serve`: checks, runs and the page over HTTP."""

from __future__ import annotations

from ...errors import MissingExtra
from ...service.limits import Limits
from ..app import app
from ..options import BaseUrl, JudgeNames
from .serving_options import (
    DEFAULTS,
    Host,
    LogLevel,
    MostAtOnce,
    MostBytes,
    MostClaims,
    MostSeconds,
    Port,
    TokenFile,
    settings_of,
)


@app.command("serve")
def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    judge: JudgeNames = None,
    base_url: BaseUrl = None,
    token_file: TokenFile = None,
    max_body: MostBytes = DEFAULTS.body,
    max_claims: MostClaims = DEFAULTS.claims,
    timeout: MostSeconds = DEFAULTS.seconds,
    queue: MostAtOnce = DEFAULTS.waiting,
    log_level: LogLevel = "info",
) -> None:
    """Serve checks, runs and a page to look at them, on this machine unless told otherwise.

    Clients choose among the judges that are named here; the embedded one is always there.
    """
    try:
        from ...server.application import Application
        from ...server.http.logs import start_logging
    except ModuleNotFoundError as error:
        raise MissingExtra("server", "the server") from error
    limits = Limits(body=max_body, claims=max_claims, seconds=timeout, waiting=queue)
    application = Application(settings_of(host, port, judge, base_url, token_file, limits))
    start_logging(log_level)
    application.run()
