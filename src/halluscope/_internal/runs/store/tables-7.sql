-- What was submitted to a provider in batches.
CREATE TABLE batches (
    key TEXT PRIMARY KEY, judge TEXT NOT NULL, server TEXT NOT NULL, run TEXT NOT NULL, created REAL NOT NULL,
    questions INTEGER NOT NULL, remote TEXT, collected INTEGER NOT NULL, alive REAL NOT NULL, checksum INTEGER
) WITHOUT ROWID;
CREATE TABLE batch_questions (id TEXT PRIMARY KEY, batch TEXT NOT NULL, checksum INTEGER) WITHOUT ROWID;
CREATE INDEX questions_of_batches ON batch_questions (batch);
