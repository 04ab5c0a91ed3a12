import { setTimeout as sleep } from "node:timers/promises";
import { createdAtOfId, Refusal, type SubjectType, type VerifiedClaims } from "@muster/protocol";
import type { Erasure as ErasureRecord } from "@muster/protocol/api/erasures";
import { provedPart } from "../../domain/identity/proof.js";
import type { EventCounts } from "../../domain/profiles/event-counts.js";
import type { Profile } from "../../domain/profiles/profile.js";
import { type Report, reportOf } from "../../domain/profiles/report.js";
import { type UserSignIn, userRecord } from "../../domain/profiles/user-record.js";
import type { Database } from "../../storage/postgres/database.js";
import { type Revisions, readRevisions } from "../../storage/postgres/definitions/revisions.js";
import { findUserId } from "../../storage/postgres/profiles/profile-ids.js";
import { findProfile } from "../../storage/postgres/profiles/profiles.js";
import { listSignIns } from "../../storage/postgres/profiles/sign-ins.js";
import type { UserActions } from "../../storage/questions/event-figures.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAttributes } from "../attributes/attribute-definitions.js";
import { loadPresentEventPlans } from "../events/known-event-plans.js";
import type { JoinedSegment } from "../segments/segment-record.js";
import type { Segments } from "../segments/segments.js";
import type { EntryWriter } from "./entry-writer.js";
import type { Erasures } from "./erasures.js";
import { findByClaims } from "./find-by-claims.js";
import type { FindConnector } from "./find-writer.js";
import { Marks } from "./marks.js";
import type { SubjectPast } from "./subject-past.js";

export interface SubjectsOptions {
  database: Database;
  questions: Questions;
  segments: Segments;
  erasures: Erasures;
  past: SubjectPast;
  writer: EntryWriter;
  findConnector: FindConnector;
  maxAttributes: number;
}

/** A report as the API shows it. Only reports of users have an account. */
export type SubjectReport = Report & { id: string; account?: Report | null };

/** Who reads: an end user gets the values that are proved and no others, of the user and of the account. */
export interface ReportReader {
  isEndUser: boolean;
  /** The id of the browser that an end user names. */
  anonymousId?: string | undefined;
}

/** How long an erasure waits for its receipt. It is applied within milliseconds unless many entries come first. */
const RECEIPT_WAIT_MS = 2_000;
const LIKING: ReadonlySet<string> = new Set(["like", "unlike"]);

/** Users and accounts. They are read from PostgreSQL, so an entry is visible here as soon as it is applied. */
export class Subjects {
  readonly marks: Marks;
  readonly #options: SubjectsOptions;

  constructor(options: SubjectsOptions) {
    this.#options = options;
    this.marks = new Marks(options.database);
  }

  /** A user or account by its id; the former id of a merged one finds the one it was merged into. */
  find(subjectType: SubjectType, organizationId: string, id: string): Promise<Profile | undefined> {
    return findProfile(this.#options.database, subjectType, organizationId, id);
  }

  /** The id of a user, without reading the user; the former id of a merged one gives that of the survivor. */
  findUserId(organizationId: string, id: string): Promise<string | undefined> {
    return findUserId(this.#options.database, organizationId, id);
  }

  /** The user that a token is about: undefined when the user is not known, or when the token is about an account. */
  async findUser(organizationId: string, claims: VerifiedClaims): Promise<Profile | undefined> {
    const { subjectType, subjectId, asUser } = claims;
    if (subjectType !== "user") return undefined;
    if (subjectId !== undefined) return this.find("user", organizationId, subjectId);
    return asUser && findByClaims(this.#options.database, "user", organizationId, asUser);
  }

  /** The flat report of a user or account. The report of a user contains the report of the account. */
  report(organizationId: string, profile: Profile, reader: ReportReader): Promise<SubjectReport> {
    return this.#report(organizationId, profile, reader, readRevisions(this.#options.database, organizationId));
  }

  /**
   * The flat report as it was at a moment, without what the history does not keep. That of a user contains the report of the
   * account that the user had then. Undefined when there is no such subject.
   */
  async reportAt(
    organizationId: string,
    subjectType: SubjectType,
    id: string,
    moment: number,
  ): Promise<SubjectReport | undefined> {
    const { past, database, maxAttributes } = this.#options;
    const subject = await past.at(subjectType, organizationId, id, moment);
    if (!subject) return undefined;
    const { profile, segmentIds } = subject;
    const definitions = await loadAttributes(database, organizationId, subjectType, maxAttributes);
    const report = { ...reportOf(profile, definitions, moment), id: profile.id, segment_ids: segmentIds };
    if (subjectType === "account") return report;
    return { ...report, account: await this.#accountAt(organizationId, profile, moment) };
  }

  /** The account of a user at a moment. One that was erased since, or that was not known yet, is not there. */
  async #accountAt(organizationId: string, { accountId }: Profile, moment: number): Promise<SubjectReport | null> {
    if (accountId === undefined || createdAtOfId(accountId).getTime() > moment) return null;
    return (await this.reportAt(organizationId, "account", accountId, moment)) ?? null;
  }

  /** `reading` reads what the organization has defined. */
  async #report(
    organizationId: string,
    profile: Profile,
    reader: ReportReader,
    reading: Promise<Revisions | undefined>,
  ): Promise<SubjectReport> {
    const { segments } = this.#options;
    const segmentIds = reading.then((revisions) =>
      segments.idsOf(organizationId, profile.subjectType, profile.id, revisions),
    );
    return this.#reportWith(organizationId, profile, reader, { reading, segmentIds });
  }

  /** The flat report of a user or account, and the segments that it is in. */
  async reportWithSegments(
    organizationId: string,
    profile: Profile,
    reader: ReportReader,
  ): Promise<{ report: SubjectReport; segments: JoinedSegment[] }> {
    const joined = this.#options.segments.of(organizationId, profile.subjectType, profile.id);
    const segmentIds = joined.then((segments) => segments.map(({ id }) => id));
    const reading = readRevisions(this.#options.database, organizationId);
    const reporting = this.#reportWith(organizationId, profile, reader, { reading, segmentIds });
    const [report, segments] = await Promise.all([reporting, joined]);
    return { report, segments };
  }

  async #reportWith(
    organizationId: string,
    whole: Profile,
    reader: ReportReader,
    { reading, segmentIds }: { reading: Promise<Revisions | undefined>; segmentIds: Promise<readonly string[]> },
  ): Promise<SubjectReport> {
    const profile = reader.isEndUser ? provedPart(whole, reader.anonymousId) : whole;
    const { database, maxAttributes } = this.#options;
    const [definitions, segment_ids, account] = await Promise.all([
      reading.then((revisions) =>
        loadAttributes(database, organizationId, profile.subjectType, maxAttributes, revisions),
      ),
      segmentIds,
      this.#accountReport(organizationId, profile, reader, reading),
    ]);
    const report = { ...reportOf(profile, definitions, Date.now()), id: profile.id, segment_ids: [...segment_ids] };
    return profile.subjectType === "account" ? report : { ...report, account };
  }

  /** A user as the API shows it under `/me` and `/:id`. */
  async userRecord(organizationId: string, whole: Profile, reader: ReportReader) {
    const user = reader.isEndUser ? provedPart(whole, reader.anonymousId) : whole;
    const [report, { counts, byAnonymousId, liked }, signIns, marks] = await Promise.all([
      this.report(organizationId, user, reader),
      this.#actionsOf(organizationId, user, reader),
      this.#signIns(organizationId, user.id),
      this.marks.of(organizationId, user.id),
    ]);
    return userRecord({
      user,
      report,
      actions: counts,
      eventsByAnonymousId: byAnonymousId,
      liked,
      signIns,
      marks,
    });
  }

  /**
   * Most profiles contain the counts. Only the question engine knows what a user likes, counts without a limit, and knows
   * which events are proved.
   */
  async #actionsOf(
    organizationId: string,
    { id, eventCounts, hasHints }: Profile,
    { isEndUser }: ReportReader,
  ): Promise<UserActions> {
    if (!eventCounts || mayLike(eventCounts)) {
      const which = isEndUser && hasHints ? "proved" : undefined;
      return this.#options.questions.actionsOf(organizationId, id, which);
    }
    const plans = await loadPresentEventPlans(this.#options.database, organizationId);
    const counts = new Map<string, number>();
    for (const [stored, count] of Object.entries(eventCounts.byName)) {
      const name = plans.currentName(stored);
      counts.set(name, (counts.get(name) ?? 0) + count);
    }
    const byName = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
    const byAnonymousId = new Map(Object.entries(eventCounts.byAnonymousId));
    return { counts: Object.fromEntries(byName), byAnonymousId, liked: 0 };
  }

  async #accountReport(
    organizationId: string,
    { accountId }: Profile,
    reader: ReportReader,
    reading: Promise<Revisions | undefined>,
  ): Promise<Report | null> {
    const account = accountId === undefined ? undefined : await this.find("account", organizationId, accountId);
    return account ? this.#report(organizationId, account, reader, reading) : null;
  }

  async #signIns(organizationId: string, userId: string): Promise<UserSignIn[]> {
    const { database, findConnector } = this.#options;
    const signIns = await listSignIns(database, organizationId, userId);
    const withProvider = signIns.map(async (signIn) => {
      const connector = await findConnector(organizationId, signIn.appId);
      return { ...signIn, provider: connector?.name };
    });
    return Promise.all(withProvider);
  }

  /**
   * Erases a user or account; undefined when there is none with the id. `connectorId` is the connector that asks for it,
   * or empty for the operator. If earlier entries are still waiting, the erasure is only accepted, and there is no receipt yet.
   */
  async erase(
    organizationId: string,
    subjectType: SubjectType,
    id: string,
    connectorId: string,
  ): Promise<{ id: string; position: string; receipt: ErasureRecord | undefined } | undefined> {
    const profile = await this.find(subjectType, organizationId, id);
    if (!profile) return undefined;
    const position = await this.#options.writer.accept(organizationId, {
      type: "incinerate",
      at: Date.now(),
      connectorId,
      subject: subjectType,
      [subjectType]: { id: profile.id },
      create: false,
      // An active entry would overtake earlier entries of the subject, and these would create the subject again.
      active: false,
      body: {},
    });
    await this.#waitFor(organizationId, position);
    return { id: profile.id, position, receipt: await this.#options.erasures.find(organizationId, profile.id) };
  }

  /** Waits for a short time until the entries at a position are searchable. */
  async #waitFor(organizationId: string, position: string): Promise<void> {
    const waiting = this.#options.writer.waitFor(organizationId, position).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
    });
    const stop = new AbortController();
    const limit = sleep(RECEIPT_WAIT_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    await Promise.race([waiting, limit]).finally(() => stop.abort());
  }
}

/** Whether a user has events that say what the user likes. */
function mayLike({ byName }: EventCounts): boolean {
  return Object.keys(byName).some((name) => LIKING.has(name.toLowerCase()));
}
