import { Refusal } from "@muster/protocol";
import type { Member } from "../domain/members/member.js";
import type { Addresses } from "../domain/organizations/addresses.js";
import type { Mail } from "../outbound/mailer.js";
import type { Database } from "../storage/postgres/database.js";
import {
  createMember,
  findFirstOperator,
  findMember,
  findMemberByEmail,
  findMembersByEmail,
  findPasswordHash,
  forgetUnproved,
  lockPassword,
  lockRoles,
  proveEmail,
  setRole,
} from "../storage/postgres/members/members.js";
import { createSignInLink, findSignInLink, takeSignInLink } from "../storage/postgres/members/sign-in-links.js";
import type { BackgroundMailer } from "./background-mailer.js";
import { isPassword } from "./password.js";
import { readEmail } from "./read-email.js";
import { createSecretToken, hashSecretToken } from "./secret-token.js";
import type { Browser, Recognized, Sessions } from "./sessions.js";

export interface SignInOptions {
  database: Database;
  addresses: Addresses;
  sessions: Sessions;
  mailer: BackgroundMailer | undefined;
}

/** Whom a link of the operator signs in. */
export interface LinkFor {
  /** Default: the member who was the first to run the server. */
  email?: string | undefined;
  /** The member becomes an owner of this organization, and does not run the server. */
  organizationId?: string | undefined;
  lifetimeMinutes?: number;
}

const LINK_MINUTES = 15;
/** The name and address of the member that the first link signs in. The member can change both. */
const FIRST_OPERATOR = { email: "operator@localhost", name: "Operator" };

/** Finds out who signs in: with a password, or with a link that works once. */
export class SignIn {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** Whether the server can send mail. */
  get canMail(): boolean {
    return this.#options.mailer !== undefined;
  }

  /** The member with this address and password; undefined when there is none, after the time that one member takes. */
  async recognize(email: string, password: string): Promise<Recognized | undefined> {
    const { database } = this.#options;
    const members = await findMembersByEmail(database, email.trim());
    if (members.length === 0) await isPassword(password, undefined);
    for (const { id: memberId } of members) {
      const hash = await findPasswordHash(database, memberId);
      const isRight = await isPassword(password, hash);
      if (isRight && hash !== undefined) return { memberId, lock: (tx) => lockPassword(tx, memberId, hash) };
    }
    return undefined;
  }

  /** Signs in the member with this address and password. Returns the token of the session; undefined when there is none. */
  async withPassword(email: string, password: string, browser: Browser): Promise<string | undefined> {
    const found = await this.recognize(email, password);
    if (!found) return undefined;
    const { database, sessions } = this.#options;
    return database.transaction(async (tx) =>
      (await found.lock(tx)) ? sessions.open(tx, found.memberId, browser) : undefined,
    );
  }

  /** Whom a link signs in. The link can still be used after this. */
  async memberOfLink(token: string): Promise<Member> {
    const link = await findSignInLink(this.#options.database, hashSecretToken(token));
    const member = link && (await findMember(this.#options.database, link.memberId));
    if (!member) throw linkRefused();
    return member;
  }

  /** Uses a link up, and signs its member in. Returns the token of the session. */
  async withLink(token: string, browser: Browser): Promise<string> {
    const { database, sessions } = this.#options;
    return database.transaction(async (tx) => {
      const link = await takeSignInLink(tx, hashSecretToken(token));
      if (!link) throw linkRefused();
      if (link.isMailed) await proveEmail(tx, link.memberId, link.email);
      return sessions.open(tx, link.memberId, browser);
    });
  }

  /** Makes a link for the operator to hand over. A member who does not exist yet is created. Returns its token. */
  async createLink({ email, organizationId, lifetimeMinutes = LINK_MINUTES }: LinkFor): Promise<string> {
    const { database } = this.#options;
    const linked = await database.transaction(async (tx) => {
      // Two links for one new owner must not make two members.
      if (organizationId !== undefined) await lockRoles(tx, organizationId);
      const known =
        email === undefined && organizationId === undefined
          ? await findFirstOperator(tx)
          : await findMemberByEmail(tx, readEmail(email ?? FIRST_OPERATOR.email));
      const member =
        known ??
        (await createMember(tx, {
          ...FIRST_OPERATOR,
          ...(email === undefined ? {} : { email: readEmail(email), name: nameFrom(email) }),
          isOperator: organizationId === undefined,
        }));
      if (organizationId !== undefined) {
        await forgetUnproved(tx, organizationId, member.id);
        await setRole(tx, organizationId, member.id, "owner");
      }
      return member;
    });
    return this.#storeLink(linked, { isMailed: false, lifetimeMinutes });
  }

  /** Mails a link to the member with this address, if there is one. The caller does not learn whether there is. */
  mailLink(email: string): void {
    this.#options.mailer?.sendSoon(() => this.#writeMail(email));
  }

  /** The mail with a link for the member with this address. */
  async #writeMail(email: string): Promise<Mail | undefined> {
    const member = await findMemberByEmail(this.#options.database, email.trim());
    if (!member) return undefined;
    const token = await this.#storeLink(member, { isMailed: true, lifetimeMinutes: LINK_MINUTES });
    return {
      to: [member.email],
      subject: "Sign in to Muster",
      text: [
        "Open this link to sign in:",
        this.linkUrl(token),
        `It works once, in the next ${LINK_MINUTES} minutes. If you did not ask for it, you can ignore this mail.`,
      ].join("\n\n"),
    };
  }

  /** The address of the page that signs in with a token. */
  linkUrl(token: string): string {
    return `${this.#options.addresses.publicUrl}/sign-in/link/${token}`;
  }

  async #storeLink({ id, email }: Member, link: { isMailed: boolean; lifetimeMinutes: number }): Promise<string> {
    const { token, hash } = createSecretToken();
    await createSignInLink(this.#options.database, { tokenHash: hash, memberId: id, email, ...link });
    return token;
  }
}

function linkRefused(): Refusal {
  return new Refusal("invalid_token", "This link was used already, or its time is over. Ask for a new one.");
}

/** A first name for a member of whom only the address is known. */
export function nameFrom(email: string): string {
  return email.trim().split("@")[0] ?? email;
}
