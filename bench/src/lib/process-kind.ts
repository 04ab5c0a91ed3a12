/** What a process of PostgreSQL is for. */
export type PostgresKind = "backend" | "checkpointer" | "background";

const CHECKPOINTER = /^postgres: (?:\S+: )?checkpointer/;
const BACKGROUND =
  /^postgres: (?:\S+: )?(background writer|walwriter|autovacuum|logical replication|io worker|archiver|startup|logger|walsummarizer|slotsync|parallel worker)/;

/** The kind of a process of PostgreSQL, by the title that PostgreSQL gives to it. The first process has no such title. */
export function kindOfProcess(title: string): PostgresKind {
  if (CHECKPOINTER.test(title)) return "checkpointer";
  return title.startsWith("postgres:") && !BACKGROUND.test(title) ? "backend" : "background";
}
