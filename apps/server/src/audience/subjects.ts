import type { SubjectType, VerifiedClaims } from "@muster/protocol";
import { type Report, reportOf } from "../domain/changes/report.js";
import { userRecord } from "../domain/changes/user-record.js";
import type { Profile } from "../domain/identity/profile.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import { findSignIn } from "../storage/postgres/profiles/sign-ins.js";
import type { Questions } from "../storage/questions/questions.js";
import { loadAttributes } from "./attribute-definitions.js";
import { findByClaims, findProfile } from "./find-profiles.js";
import type { Segments } from "./segments.js";

export interface SubjectsOptions {
  database: Database;
  questions: Questions;
  connectors: ConnectorStore;
  segments: Segments;
  maxAttributes: number;
}

/** Reads users and accounts back as the API shows them, from the truth: what was applied is there at once. */
export class Subjects {
  readonly #options: SubjectsOptions;

  constructor(options: SubjectsOptions) {
    this.#options = options;
  }

  find(kind: SubjectType, organizationId: string, id: string): Promise<Profile | undefined> {
    return findProfile(this.#options.database, kind, organizationId, id);
  }

  /** The user or account that a token is about. */
  async findSubject(organizationId: string, claims: VerifiedClaims): Promise<Profile | undefined> {
    const { subjectType, subjectId, asUser, asAccount } = claims;
    const { database } = this.#options;
    if (subjectId !== undefined) return this.find(subjectType, organizationId, subjectId);
    if (subjectType === "user") return asUser && findByClaims(database, "user", organizationId, asUser);
    if (asAccount) return findByClaims(database, "account", organizationId, asAccount);
    const user = asUser && (await findByClaims(database, "user", organizationId, asUser));
    return user?.accountId === undefined ? undefined : this.find("account", organizationId, user.accountId);
  }

  /** The flat report; a user's embeds the account. */
  async report(organizationId: string, profile: Profile): Promise<Report & { account?: Report | null }> {
    const definitions = await loadAttributes(
      this.#options.database,
      organizationId,
      profile.kind,
      this.#options.maxAttributes,
    );
    const report = {
      ...reportOf(profile, definitions, Date.now()),
      segment_ids: await this.#segmentIds(organizationId, profile),
    };
    if (profile.kind === "account") return report;
    const account =
      profile.accountId === undefined ? undefined : await this.find("account", organizationId, profile.accountId);
    return { ...report, account: account ? await this.report(organizationId, account) : null };
  }

  async #segmentIds(organizationId: string, { kind, id }: Profile): Promise<string[]> {
    const segments = await this.#options.segments.of(organizationId, kind, id);
    return segments.map((segment) => segment.id);
  }

  async userRecord(organizationId: string, user: Profile, isAdmin: boolean) {
    const { database, questions, connectors } = this.#options;
    const [report, actions, liked, signIn] = await Promise.all([
      this.report(organizationId, user),
      questions.countEvents(organizationId, user.id),
      questions.countLiked(organizationId, user.id),
      findSignIn(database, organizationId, user.id),
    ]);
    const provider = signIn && (await connectors.find(organizationId, signIn.appId));
    return userRecord({ user, report, actions, liked, signIn, signInProvider: provider?.name, isAdmin });
  }
}
