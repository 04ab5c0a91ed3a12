import { mkdir } from "node:fs/promises";
import { drainPending, Session } from "chdb";
import { type ClickHouse, type QueryParams, SESSION_SETTINGS } from "./clickhouse.js";

// A session runs one statement at a time: a slow question must not hold up the projection or the next reader.
const SESSIONS = 4;

export interface EmbeddedClickHouseOptions {
  dataDir: string;
  memoryBytes: number;
}

/** Opens the ClickHouse that runs inside this process. One process at a time can hold a data directory. */
export async function openEmbeddedClickHouse(options: EmbeddedClickHouseOptions): Promise<ClickHouse> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const settings = {
    ...SESSION_SETTINGS,
    max_server_memory_usage: options.memoryBytes,
    max_memory_usage: Math.floor(options.memoryBytes / 2),
    mark_cache_size: Math.floor(options.memoryBytes / 8),
    uncompressed_cache_size: 0,
  };
  const connectionArgs = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const sessions = new SessionPool(() => new Session(options.dataDir, { connectionArgs }));

  return {
    rows: <Row>(sql: string, params: QueryParams = {}) =>
      sessions.use(async (session) => parseLines<Row>((await ask(session, sql, params)).text())),
    command: (sql, params = {}) =>
      sessions.use(async (session) => {
        await ask(session, sql, params);
      }),
    async *stream(sql, params, format) {
      const session = await sessions.take();
      try {
        for await (const chunk of session.queryStreamBind(sql, params, { format })) yield chunk.raw();
      } finally {
        sessions.give(session);
      }
    },
    async close() {
      await sessions.close();
      await drainPending();
    },
  };
}

function ask(session: Session, sql: string, params: QueryParams) {
  const options = { format: "JSONEachRow" };
  return Object.keys(params).length === 0
    ? session.queryAsync(sql, options)
    : session.queryBindAsync(sql, params, options);
}

function parseLines<Row>(text: string): Row[] {
  return text === "" ? [] : (JSON.parse(`[${text.trimEnd().replaceAll("\n", ",")}]`) as Row[]);
}

/** Hands out sessions, opening them as they are first needed; waiting callers are served in order. */
class SessionPool {
  readonly #open: () => Session;
  readonly #all: Session[] = [];
  readonly #free: Session[] = [];
  readonly #waiting: ((session: Session) => void)[] = [];
  #isClosing = false;

  constructor(open: () => Session) {
    this.#open = open;
  }

  async use<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const session = await this.take();
    try {
      return await work(session);
    } finally {
      this.give(session);
    }
  }

  async take(): Promise<Session> {
    const free = this.#free.pop();
    if (free) return free;
    if (this.#all.length < SESSIONS && !this.#isClosing) {
      const session = this.#open();
      this.#all.push(session);
      return session;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  give(session: Session): void {
    const next = this.#waiting.shift();
    if (next) next(session);
    else this.#free.push(session);
  }

  /** Waits until nobody holds a session, then closes them all. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const idle = await Promise.all(this.#all.map(() => this.take()));
    for (const session of idle) session.close();
  }
}
