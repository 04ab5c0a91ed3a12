import { ConfigurationError, TransientError } from "@muster/connector";

/**
 * An error for the connector library. It is transient when it can pass without a change of the settings: a connection
 * error, which has no SQL state, or an SQL state of one of the given classes.
 */
export function explainDatabaseError(error: unknown, sqlState: string | undefined, transientClasses: RegExp): Error {
  const { message } = error as Error;
  if (!sqlState || transientClasses.test(sqlState)) {
    return new TransientError(`The database cannot be read at the moment: ${message}`, { cause: error });
  }
  return new ConfigurationError(`The database reported: ${message}`, { cause: error });
}
