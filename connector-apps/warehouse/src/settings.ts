import { ConfigurationError, type ConnectorRecord } from "@muster/connector";

export interface Settings {
  connectionString: string;
  schema: string;
  exportsEvents: boolean;
}

/** Reads the settings. Throws a `ConfigurationError` that says what to change when they are missing or wrong. */
export function readSettings({ private_settings: given }: ConnectorRecord): Settings {
  const { connection_string: connectionString, schema = "muster", export_events: exportsEvents } = given;
  if (typeof connectionString !== "string" || connectionString.trim() === "") {
    throw new ConfigurationError("Give the address of the database.");
  }
  if (!/^postgres(ql)?:\/\//.test(connectionString)) {
    throw new ConfigurationError("The address of the database must begin with postgres://.");
  }
  // Statements contain the name without quotes, so it may have no other characters.
  if (typeof schema !== "string" || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new ConfigurationError("The schema must be a name of lower-case letters, digits and underscores.");
  }
  return { connectionString: connectionString.trim(), schema, exportsEvents: exportsEvents !== false };
}
