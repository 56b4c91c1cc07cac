"""The tables, as numbered steps: a file made by an older version is brought up to date when it is opened."""

from __future__ import annotations

MIGRATIONS: tuple[str, ...] = (
    # The columns of a primary key come first: SQLite 3.40 takes anything else for damage when it checks a table
    # WITHOUT ROWID.
    # 1: replies, and runs as lists of cases and outcomes. Texts and outcomes are kept once, however many runs
    # point to them.
    """
    CREATE TABLE replies (key BLOB PRIMARY KEY, entry BLOB NOT NULL);

    CREATE TABLE cases (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, body BLOB NOT NULL);

    CREATE TABLE scorers (
        id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, metric TEXT NOT NULL, version TEXT NOT NULL,
        judge TEXT NOT NULL, direction TEXT NOT NULL, threshold REAL NOT NULL, scale REAL NOT NULL
    );

    CREATE TABLE outcomes (
        id INTEGER PRIMARY KEY, scorer INTEGER NOT NULL, "case" INTEGER NOT NULL, reusable INTEGER NOT NULL,
        outcome TEXT NOT NULL, score REAL, passed INTEGER, label TEXT,
        calls INTEGER NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost REAL,
        body BLOB NOT NULL
    );
    CREATE UNIQUE INDEX reusable_outcomes ON outcomes (scorer, "case") WHERE reusable;

    CREATE TABLE runs (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, state TEXT NOT NULL, note TEXT NOT NULL DEFAULT '',
        data TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL, seconds REAL NOT NULL DEFAULT 0
    );
    CREATE TABLE run_scorers (
        run INTEGER NOT NULL, scorer INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (run, scorer)
    ) WITHOUT ROWID;
    CREATE TABLE run_cases (
        run INTEGER NOT NULL, position INTEGER NOT NULL, "case" INTEGER NOT NULL, name TEXT NOT NULL, extra BLOB,
        PRIMARY KEY (run, position)
    ) WITHOUT ROWID;
    CREATE TABLE run_results (
        run INTEGER NOT NULL, position INTEGER NOT NULL, scorer INTEGER NOT NULL, outcome INTEGER NOT NULL,
        reused INTEGER NOT NULL, PRIMARY KEY (run, position, scorer)
    ) WITHOUT ROWID;
    CREATE TABLE run_bad_rows (
        run INTEGER NOT NULL, position INTEGER NOT NULL, place TEXT NOT NULL, reason TEXT NOT NULL,
        PRIMARY KEY (run, position)
    ) WITHOUT ROWID;
    """,
    # 2: a checksum for each row of the lists, over all its other columns, and for the figures of an outcome.
    """
    ALTER TABLE scorers ADD COLUMN checksum INTEGER;
    ALTER TABLE outcomes ADD COLUMN checksum INTEGER;
    ALTER TABLE runs ADD COLUMN checksum INTEGER;
    ALTER TABLE run_scorers ADD COLUMN checksum INTEGER;
    ALTER TABLE run_cases ADD COLUMN checksum INTEGER;
    ALTER TABLE run_results ADD COLUMN checksum INTEGER;
    ALTER TABLE run_bad_rows ADD COLUMN checksum INTEGER;
    UPDATE scorers SET checksum = checksum_of(key, metric, version, judge, direction, threshold, scale);
    UPDATE outcomes SET checksum = checksum_of(
        scorer, "case", reusable, outcome, score, passed, label, calls, input_tokens, output_tokens, cost
    );
    UPDATE runs SET checksum = checksum_of(id, name, state, note, data, created, updated, seconds);
    UPDATE run_scorers SET checksum = checksum_of(run, scorer, place);
    UPDATE run_cases SET checksum = checksum_of(run, position, "case", name, extra);
    UPDATE run_results SET checksum = checksum_of(run, position, scorer, outcome, reused);
    UPDATE run_bad_rows SET checksum = checksum_of(run, position, place, reason);
    """,
    # 3: who is asking a judge what, so that no other process asks the same meanwhile.
    """
    CREATE TABLE leases (key BLOB PRIMARY KEY, owner BLOB NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
    """,
    # 4: an answer ends the claim to its question.
    """
    CREATE TRIGGER answered AFTER INSERT ON replies BEGIN DELETE FROM leases WHERE key = NEW.key; END;
    """,
    # 5: what live scoring spent in a day, so that a budget outlives a process.
    """
    CREATE TABLE spending (
        day TEXT NOT NULL, name TEXT NOT NULL, dollars REAL NOT NULL, checksum INTEGER, PRIMARY KEY (day, name)
    ) WITHOUT ROWID;
    """,
    # 6: a result of each scorer, which the others are packed like. Those from before it are packed like nothing.
    """
    CREATE TABLE samples (scorer INTEGER PRIMARY KEY, body BLOB NOT NULL);
    """,
)
