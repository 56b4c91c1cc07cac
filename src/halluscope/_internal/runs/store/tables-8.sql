-- The result of a case whose texts changed is not one of the new texts.
-- The columns `checksum` are no longer written. They stay, because SQLite before 3.35 cannot drop a column.
CREATE TRIGGER changed AFTER UPDATE OF "case" ON run_cases WHEN NEW."case" != OLD."case" BEGIN DELETE FROM run_results WHERE run = NEW.run AND position = NEW.position; END;
