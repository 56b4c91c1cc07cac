-- The columns of a primary key come first, because the check of SQLite 3.40 fails for other tables WITHOUT ROWID.
-- Texts and outcomes are kept once, however many runs point to them. A sample is a result of a scorer that the others
-- are packed like. A lease says who asks a judge what, so that no other process asks the same meanwhile.
CREATE TABLE replies (key BLOB PRIMARY KEY, entry BLOB NOT NULL);
CREATE TABLE leases (key BLOB PRIMARY KEY, owner BLOB NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
CREATE TRIGGER answered AFTER INSERT ON replies BEGIN DELETE FROM leases WHERE key = NEW.key; END;
CREATE TABLE cases (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, body BLOB NOT NULL);
CREATE TABLE scorers (
    id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, metric TEXT NOT NULL, version TEXT NOT NULL,
    judge TEXT NOT NULL, direction TEXT NOT NULL, threshold REAL NOT NULL, scale REAL NOT NULL, checksum INTEGER
);
CREATE TABLE outcomes (
    id INTEGER PRIMARY KEY, scorer INTEGER NOT NULL, "case" INTEGER NOT NULL, reusable INTEGER NOT NULL,
    outcome TEXT NOT NULL, score REAL, passed INTEGER, label TEXT,
    calls INTEGER NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost REAL,
    body BLOB NOT NULL, checksum INTEGER
);
CREATE UNIQUE INDEX reusable_outcomes ON outcomes (scorer, "case") WHERE reusable;
CREATE TABLE samples (scorer INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, state TEXT NOT NULL, note TEXT NOT NULL DEFAULT '',
    data TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL, seconds REAL NOT NULL DEFAULT 0,
    checksum INTEGER
);
CREATE TABLE run_scorers (
    run INTEGER NOT NULL, scorer INTEGER NOT NULL, place INTEGER NOT NULL, checksum INTEGER,
    PRIMARY KEY (run, scorer)
) WITHOUT ROWID;
CREATE TABLE run_cases (
    run INTEGER NOT NULL, position INTEGER NOT NULL, "case" INTEGER NOT NULL, name TEXT NOT NULL, extra BLOB,
    checksum INTEGER, PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE run_results (
    run INTEGER NOT NULL, position INTEGER NOT NULL, scorer INTEGER NOT NULL, outcome INTEGER NOT NULL,
    reused INTEGER NOT NULL, checksum INTEGER, PRIMARY KEY (run, position, scorer)
) WITHOUT ROWID;
CREATE TABLE run_bad_rows (
    run INTEGER NOT NULL, position INTEGER NOT NULL, place TEXT NOT NULL, reason TEXT NOT NULL, checksum INTEGER,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE spending (
    day TEXT NOT NULL, name TEXT NOT NULL, dollars REAL NOT NULL, checksum INTEGER, PRIMARY KEY (day, name)
) WITHOUT ROWID;
