import type { Logger } from "pino";
import type { Addresses } from "../domain/organizations/addresses.js";
import type { Mailer } from "../outbound/mailer.js";
import type { Database } from "../storage/postgres/database.js";
import { AuditLog } from "./audit-log.js";
import { BackgroundMailer } from "./background-mailer.js";
import { Invitations } from "./invitations.js";
import { Members } from "./members.js";
import { Sessions } from "./sessions.js";
import { SignIn } from "./sign-in.js";

export interface MemberServices {
  sessions: Sessions;
  signIn: SignIn;
  members: Members;
  invitations: Invitations;
  auditLog: AuditLog;
}

/** Opens the services about people who sign in. */
export function openMembers({
  database,
  addresses,
  mailer,
  logger,
}: {
  database: Database;
  addresses: Addresses;
  mailer: Mailer | undefined;
  logger: Logger;
}): MemberServices {
  const sessions = new Sessions(database);
  const options = { database, addresses, sessions, mailer: mailer && new BackgroundMailer(mailer, logger) };
  return {
    sessions,
    signIn: new SignIn(options),
    members: new Members(database, sessions),
    invitations: new Invitations(options),
    auditLog: new AuditLog(database),
  };
}
