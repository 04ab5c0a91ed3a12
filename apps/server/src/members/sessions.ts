import { createHash } from "node:crypto";
import { DAY_MS, Refusal } from "@muster/protocol";
import type { Member, OpenSession, Session } from "../domain/members/member.js";
import type { Queryable, Transaction } from "../storage/postgres/database.js";
import { noteSignIn } from "../storage/postgres/members/members.js";
import {
  createSession,
  findSession,
  listSessions,
  lockOpenSession,
  removeSession,
  removeSessions,
  touchSession,
} from "../storage/postgres/members/sessions.js";
import { createSecretToken, hashSecretToken } from "./secret-token.js";

/** A session ends so long after it was used last. */
const LIFETIME_DAYS = 30;

/** How long a browser keeps the cookie of a session. */
export const SESSION_LIFETIME_MS = LIFETIME_DAYS * DAY_MS;

// A page makes many requests a minute, and each note is a write.
const NOTE_EVERY_MS = 60_000;

/** The browser that a request comes from. */
export interface Browser {
  userAgent: string;
  address: string;
}

/** A member who was recognized by a password or a session, some time ago: a hash takes its time, and others wait before it. */
export interface Recognized {
  memberId: string;
  /** Whether it still holds. Then it holds until the transaction ends. */
  lock(tx: Transaction): Promise<boolean>;
}

/** The browsers in which members have signed in. A session is known by its token, which only the browser holds. */
export class Sessions {
  readonly #database: Queryable;

  constructor(database: Queryable) {
    this.#database = database;
  }

  /**
   * Signs a member in. Returns the token of the session. The transaction has locked the member after it has found out who
   * signs in. Who ends the sessions of the member then ends this one too.
   */
  async open(tx: Transaction, memberId: string, { userAgent, address }: Browser): Promise<string> {
    const { token, hash } = createSecretToken();
    await createSession(tx, {
      memberId,
      tokenHash: hash,
      userAgent: userAgent.slice(0, 500),
      address,
      lifetimeDays: LIFETIME_DAYS,
    });
    await noteSignIn(tx, memberId);
    return token;
  }

  /** The session of a token, with its member and the member's roles at this moment. */
  async find(token: string): Promise<OpenSession | undefined> {
    const found = await findSession(this.#database, hashSecretToken(token));
    if (found && Date.now() - found.session.lastSeenAt.getTime() > NOTE_EVERY_MS) await this.#note(found.session);
    return found;
  }

  /** The member of a session. */
  recognize({ member, session }: OpenSession): Recognized {
    return { memberId: member.id, lock: (tx) => lockOpenSession(tx, member.id, session.id) };
  }

  /** The sessions of a member, the one that was used last first. */
  list({ id }: Member): Promise<Session[]> {
    return listSessions(this.#database, id);
  }

  /** Ends one session of a member. Returns whether there was one. */
  end({ id }: Member, sessionId: string): Promise<boolean> {
    return removeSession(this.#database, id, sessionId);
  }

  /** Ends all sessions of a member, or all but one. Returns how many. */
  endAll({ id }: Pick<Member, "id">, exceptId?: string): Promise<number> {
    return removeSessions(this.#database, id, exceptId);
  }

  async #note({ id }: Session): Promise<void> {
    try {
      await touchSession(this.#database, id, LIFETIME_DAYS);
    } catch (error) {
      // While the disk is full the database takes no writes, but people can still look.
      if (!(error instanceof Refusal && error.code === "unavailable")) throw error;
    }
  }
}

/** What a page must send along with changes: only pages that may read answers of the server know it. */
export function csrfTokenOf(sessionToken: string): string {
  return createHash("sha256").update(`csrf ${sessionToken}`).digest("base64url");
}
