import { createRequire } from "node:module";
import { join } from "node:path";

/** The part of `chdb` that we use. It is installed only for tests, so its types are not available here. */
interface ChdbModule {
  Session: new (path: string) => ChdbSession;
}

interface ChdbSession {
  queryAsync(sql: string, options: { format: string }): Promise<{ bytes(): Uint8Array }>;
  close(): void;
}

export interface Statement {
  sql: string;
  /** Values of the parameters of the statement, in the form in which clients send them to a server. */
  params: ReadonlyMap<string, string>;
  settings: ReadonlyMap<string, string>;
  /** The format of the answer, unless the statement names one. */
  format: string;
}

interface Session {
  chdb: ChdbSession;
  /** The settings that a statement before has changed in this session. */
  settings: Map<string, string>;
  isOpened: boolean;
}

/**
 * A server takes parameters of any length, and here they are set by a statement. So the sessions allow long statements, and
 * the limit of a server for those that clients send is checked here. It does not count the rows of an insert.
 */
const LONG = "set max_query_size = 1000000000";
const MAX_QUERY_SIZE = 262_144;

/**
 * A ClickHouse inside this process. A session runs one statement at a time, so there are several of them, and statements
 * that find none free wait in the order in which they came.
 */
export class ChdbSessions {
  readonly #all: Session[];
  readonly #free: Session[];
  readonly #waiting: ((session: Session) => void)[] = [];

  /** Opens the data in `path`. `folder` is where chdb is installed. */
  constructor({ folder, path, count }: { folder: string; path: string; count: number }) {
    const { Session } = createRequire(join(folder, "package.json"))("chdb") as ChdbModule;
    this.#all = Array.from({ length: count }, () => ({
      chdb: new Session(path),
      settings: new Map(),
      isOpened: false,
    }));
    this.#free = [...this.#all];
  }

  async run(statement: Statement): Promise<Uint8Array> {
    const { sql } = statement;
    if (sql.length > MAX_QUERY_SIZE && !/^\s*insert/i.test(sql)) {
      throw new Error("Code: 62. DB::Exception: Max query size exceeded. (SYNTAX_ERROR)");
    }
    const session = this.#free.pop() ?? (await new Promise<Session>((resolve) => this.#waiting.push(resolve)));
    try {
      return await runIn(session, statement);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(session);
      else this.#free.push(session);
    }
  }

  close(): void {
    for (const { chdb } of this.#all) chdb.close();
  }
}

async function runIn(session: Session, statement: Statement): Promise<Uint8Array> {
  const { chdb, settings: current } = session;
  const { sql, params, settings, format } = statement;
  if (!session.isOpened) await chdb.queryAsync(LONG, { format });
  session.isOpened = true;
  const changes: string[] = [];
  for (const name of current.keys()) {
    if (settings.has(name)) continue;
    changes.push(`${name} = default`);
    current.delete(name);
  }
  for (const [name, value] of settings) {
    if (current.get(name) === value) continue;
    changes.push(`${name} = ${quote(value)}`);
    current.set(name, value);
  }
  // Parameters of earlier statements stay in the session, and do no harm: each statement sets those that it names.
  for (const [name, value] of params) changes.push(`param_${name} = ${quote(value)}`);
  try {
    if (changes.length > 0) await chdb.queryAsync(`set ${changes.join(", ")}`, { format });
  } catch (error) {
    // Which of the settings hold is not known now.
    current.clear();
    throw error;
  }
  return (await chdb.queryAsync(sql, { format })).bytes();
}

function quote(value: string): string {
  return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
