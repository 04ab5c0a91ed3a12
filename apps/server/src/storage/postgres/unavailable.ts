import { Refusal } from "@muster/protocol";
import pg from "pg";
import { isConnectionError } from "../connection-error.js";

const RETRY_AFTER_SECONDS = 2;

// Errors of the driver, which have no codes.
const CONNECTION_TEXTS =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout)/;

/** The error of a statement, as a refusal when it says that the database cannot work at present. */
export function asUnavailable(error: unknown): unknown {
  const reason = reasonOf(error);
  if (reason === undefined) return error;
  return new Refusal("unavailable", reason, { retryAfter: RETRY_AFTER_SECONDS, cause: error });
}

/** Whether a standby server refused or ended a statement because it is one. */
export function isInRecovery({ code, message }: pg.DatabaseError): boolean {
  return (
    (code === "40001" && message.includes("conflict with recovery")) ||
    (code === "0A000" && message.includes("during recovery"))
  );
}

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = "" } = error as { code?: string };
  if (!(error instanceof pg.DatabaseError)) {
    return isConnectionError(error) || CONNECTION_TEXTS.test(error.message)
      ? "The database does not answer."
      : undefined;
  }
  if (code === "53100") return "The disk of the database is full.";
  if (code === "25006" || isInRecovery(error))
    return "The database takes no writes now: its disk is nearly full, or it is a standby server.";
  // A statement or a wait for a lock that took longer than its limit.
  if (code === "57014" || code === "55P03") return "The database took too long.";
  // Classes: connection exception, insufficient resources, operator intervention, system error. The last one: the server
  // has ended a transaction that did nothing for too long.
  return /^(08|53|57P|58|25P03)/.test(code) ? "The database does not answer." : undefined;
}
