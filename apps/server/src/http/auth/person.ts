import { Refusal } from "@muster/protocol";
import type { OpenSession } from "../../domain/members/member.js";
import type { Sessions } from "../../members/sessions.js";
import { equalSecrets } from "../../runtime/secrets/vault.js";

/** Who is signed in, without an organization: a member by the cookie, or the operator by the admin token. */
export type Person = { kind: "operator" } | ({ kind: "member"; token: string } & OpenSession);

export interface IdentifyPersonOptions {
  sessions: Sessions;
  adminToken: string;
}

/** Finds out who is signed in. The admin token wins over the cookie. */
export async function identifyPerson(
  { sessions, adminToken }: IdentifyPersonOptions,
  { authorization, sessionToken }: { authorization: string | undefined; sessionToken: string | undefined },
): Promise<Person> {
  const bearer = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1];
  if (bearer !== undefined) {
    if (!equalSecrets(bearer, adminToken)) throw new Refusal("unauthorized", "The admin token is not valid.");
    return { kind: "operator" };
  }
  if (sessionToken === undefined) throw new Refusal("unauthorized", "You are signed out: sign in first.");
  return { kind: "member", token: sessionToken, ...(await requireSession(sessions, sessionToken)) };
}

/** The session of a token. Refuses when it has ended. */
export async function requireSession(sessions: Sessions, token: string): Promise<OpenSession> {
  const found = await sessions.find(token);
  if (!found) throw new Refusal("unauthorized", "The session has ended: sign in again.");
  return found;
}

/** The member who is signed in. Refuses the operator with the admin token, who has no account. */
export function memberOf(person: Person): Extract<Person, { kind: "member" }> {
  if (person.kind === "member") return person;
  throw new Refusal("bad_request", "This call is about a member who is signed in; the admin token is none.");
}
