import { ConfigurationError, type ConnectorRecord } from "@muster/connector";

export const IMPORT_KINDS = ["users", "accounts", "events"] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

export interface Settings {
  connectionString: string;
  importAs: ImportKind;
  query: string;
  incrementalColumn: string | undefined;
  /** Put before the names of attributes, including its slash. Empty when there is no group. */
  prefix: string;
  /** The highest value of the incremental column in earlier imports; null before the first. */
  lastValue: string | null;
}

/** Reads the settings. Throws a `ConfigurationError` that says what to change when they are missing or wrong. */
export function readSettings({ private_settings: given }: ConnectorRecord): Settings {
  const connectionString = textOf(given.connection_string);
  const query = textOf(given.query);
  const importAs = IMPORT_KINDS.find((kind) => kind === (given.import_as ?? "users"));
  if (connectionString === undefined) throw new ConfigurationError("Give the address of the database.");
  if (!/^(postgres(ql)?|mysql):\/\//.test(connectionString)) {
    throw new ConfigurationError("The address of the database must begin with postgres:// or mysql://.");
  }
  if (query === undefined) throw new ConfigurationError("Give the query to import from.");
  if (!importAs) throw new ConfigurationError(`Rows can be imported as ${IMPORT_KINDS.join(", ")}.`);
  const group = textOf(given.group);
  return {
    connectionString,
    query,
    importAs,
    incrementalColumn: textOf(given.incremental_column),
    prefix: group === undefined ? "" : `${group}/`,
    lastValue: textOf(given.last_value) ?? null,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
