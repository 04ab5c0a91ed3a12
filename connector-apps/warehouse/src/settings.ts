import { ConfigurationError, type ConnectorRecord } from "@muster/connector";

export interface Settings {
  connectionString: string;
  schema: string;
  exportsEvents: boolean;
}

/** Reads the settings; throws a `ConfigurationError` that says what to do when they cannot work. */
export function readSettings({ private_settings: given }: ConnectorRecord): Settings {
  const { connection_string: connectionString, schema = "muster", export_events: exportsEvents } = given;
  if (typeof connectionString !== "string" || connectionString.trim() === "") {
    throw new ConfigurationError("Give the address of the database.");
  }
  if (!/^postgres(ql)?:\/\//.test(connectionString)) {
    throw new ConfigurationError("The address of the database must begin with postgres://.");
  }
  // It stands in statements as it is.
  if (typeof schema !== "string" || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new ConfigurationError("The schema must be a name of lower-case letters, digits and underscores.");
  }
  return { connectionString: connectionString.trim(), schema, exportsEvents: exportsEvents !== false };
}
