import {
  COLUMN_RULES,
  type ColumnRules,
  openQuestions,
  readConfig,
  TIMES_RULES,
  type TimesRules,
} from "@muster/server/questions";

/** The port for questions, and the types of its parameters. */
export type Questions = Awaited<ReturnType<typeof openQuestions>>;
export type ProjectionStep = Parameters<Questions["writeChanges"]>[1];
export type ChangeSet = ProjectionStep["changes"][number]["change"];
export type StoredEvent = ChangeSet["events"][number];
export type SubjectDocument = ProjectionStep["documents"]["user"]["written"][number];
export type TypeOf = ProjectionStep["typeOf"];

/** Opens the question engine of a server that does not run: the embedded one, or the ClickHouse of CLICKHOUSE_URL. */
export function openServersQuestions(
  dataDir: string,
  columnRules: ColumnRules = COLUMN_RULES,
  timesRules: TimesRules = TIMES_RULES,
): Promise<Questions> {
  return openQuestions(readConfig({ ...process.env, DATA_DIR: dataDir }), {
    columnRules,
    timesRules,
    onSlow() {},
    onOpened() {},
    onProblem: (error, message) => console.error(message, error),
  });
}

/** A step with one change and the documents of its users. */
export function stepOf(
  sequence: number,
  { users = [], ...change }: Partial<ChangeSet> & { users?: readonly SubjectDocument[] },
  typeOf: TypeOf,
): ProjectionStep {
  const nothing = { events: [], replaced: [], merges: [], removed: [] };
  return {
    documents: { user: { written: users, gone: [] }, account: { written: [], gone: [] } },
    changes: [{ sequence, change: { ...nothing, ...change } }],
    typeOf,
  };
}
