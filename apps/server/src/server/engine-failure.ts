import { Refusal } from "@muster/protocol";

/** An engine that the operator runs, and the setting that names it. */
interface NamedEngine {
  engine: "PostgreSQL" | "ClickHouse";
  setting: "DATABASE_URL" | "CLICKHOUSE_URL";
}

export const POSTGRES: NamedEngine = { engine: "PostgreSQL", setting: "DATABASE_URL" };
export const CLICKHOUSE: NamedEngine = { engine: "ClickHouse", setting: "CLICKHOUSE_URL" };

/** What the error of a first connection means, and what to do about it. Its own text comes between the two. */
interface Explanation {
  matches(code: string, text: string): boolean;
  meaning: string;
  advice: string;
}

// Codes are those of PostgreSQL (five characters), of ClickHouse (numbers) and of Node.
const EXPLANATIONS: readonly Explanation[] = [
  {
    matches: (code) => ["3D000", "81"].includes(code),
    meaning: "does not have the database",
    advice: "Create it, or name another.",
  },
  {
    matches: (code) => ["28000", "28P01", "516", "192", "193", "194"].includes(code),
    meaning: "does not accept the user",
    advice: "Check the user and the password, with special characters percent-encoded.",
  },
  {
    matches: (_, text) => text.includes("client password must be a string"),
    meaning: "asks for a password, and there is none",
    advice: "Write the address as postgres://user:password@host/database.",
  },
  {
    matches: (_, text) => text.includes("does not support SSL"),
    meaning: "does not speak TLS",
    advice: "Remove sslmode, or enable TLS on that server.",
  },
  {
    matches: (code, text) => code === "EPROTO" || text.includes("wrong version number"),
    meaning: "does not speak TLS on that port",
    advice: "Write http:// instead of https://, or name the port for TLS.",
  },
  {
    matches: (code) => /CERT|SELF_SIGNED|ALTNAME/.test(code),
    meaning: "has a certificate that is not trusted",
    advice: "Name its authority with NODE_EXTRA_CA_CERTS, or the host that the certificate is for.",
  },
  {
    matches: (code) => code === "EACCES",
    meaning: "cannot be connected to",
    advice: "Check the permissions of the socket, and firewalls.",
  },
];

/**
 * Runs the first work with an engine. An error about the connection names the engine, the setting and what to do. Without
 * `named` the engine is embedded, and its errors stay as they are.
 */
export async function namingEngine<Result>(
  named: NamedEngine | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw (named ? engineFailure(named, error) : undefined) ?? error;
  }
}

function engineFailure({ engine, setting }: NamedEngine, error: unknown): Error | undefined {
  const root = rootOf(error);
  const { code = "" } = root as { code?: unknown };
  const text = firstLine(root.message || String(code));
  const found = EXPLANATIONS.find(({ matches }) => matches(String(code), text));
  if (found) {
    return new Error(`The ${engine} of ${setting} ${found.meaning}: ${text}. ${found.advice}`, { cause: error });
  }
  // Other refusals and errors of the engine have sentences of their own, such as one about its version.
  const isAway = (error instanceof Refusal && error.code === "unavailable") || root !== error;
  if (!isAway) return undefined;
  return new Error(`The ${engine} of ${setting} does not answer: ${text}. Check the address, and that it runs.`, {
    cause: error,
  });
}

/** The error of the connection: what reports it wraps it, and an attempt on several addresses collects one for each. */
function rootOf(error: unknown): Error {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  if (error instanceof Error && error.cause instanceof Error) return rootOf(error.cause);
  return error instanceof Error ? error : new Error(String(error));
}

function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").replace(/[.\s]+$/, "");
}
