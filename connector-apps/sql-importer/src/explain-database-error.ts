import { ConfigurationError, TransientError } from "@muster/connector";

/**
 * An error for the connector library: transient when the failure can go away without a change of the settings. That is
 * so for an error without an SQL state, which is one of the connection, and for the classes of SQL states given.
 */
export function explainDatabaseError(error: unknown, sqlState: string | undefined, transientClasses: RegExp): Error {
  const { message } = error as Error;
  if (!sqlState || transientClasses.test(sqlState)) {
    return new TransientError(`The database cannot be read at the moment: ${message}`, { cause: error });
  }
  return new ConfigurationError(`The database reported: ${message}`, { cause: error });
}
