import type { SubjectType } from "@muster/protocol";
import type { AttributeDefinitions } from "../../domain/attributes/attribute-definitions.js";
import type { SubjectState } from "../../domain/delivery/message.js";
import { agreedPurposes } from "../../domain/identity/consents.js";
import type { Profile } from "../../domain/profiles/profile.js";
import { reportOf } from "../../domain/profiles/report.js";
import type { Agreements } from "../../domain/purposes/withheld.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { type Revisions, readRevisions } from "../../storage/postgres/definitions/revisions.js";
import { loadProfiles } from "../../storage/postgres/profiles/profiles.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAllAttributes } from "../attributes/attribute-definitions.js";
import { loadSegments } from "../segments/known-segments.js";

export interface SubjectStatesOptions {
  database: Queryable;
  questions: Questions;
  maxAttributes: number;
}

/** Users and accounts by their id, and the attribute definitions that their reports were made with. */
export interface SubjectStates {
  states: Record<SubjectType, ReadonlyMap<string, SubjectState>>;
  definitions: Record<SubjectType, AttributeDefinitions>;
  /** Which of the given purposes the users have agreed to. */
  agreements: Agreements;
}

/** What the caller knows already. */
export interface KnownBefore {
  /** Profiles that are used as they are instead of read. */
  known?: ReadonlyMap<string, Profile>;
  /** What the organization has defined, when it was read a moment ago. */
  revisions?: Revisions | undefined;
  /** The purposes that the caller asks about. */
  purposes?: readonly string[];
}

/**
 * Loads the present reports and segments of users and accounts, and of the accounts of the users. The number of
 * statements does not depend on the number of subjects.
 */
export async function loadSubjectStates(
  { database, questions, maxAttributes }: SubjectStatesOptions,
  organizationId: string,
  wanted: Record<SubjectType, readonly string[]>,
  { known = new Map(), revisions: given, purposes = [] }: KnownBefore = {},
): Promise<SubjectStates> {
  const now = Date.now();
  const revisions = given ?? (await readRevisions(database, organizationId));
  const definitions = await loadAllAttributes(database, organizationId, maxAttributes, revisions);
  const profilesOf = async (subjectType: SubjectType, ids: ReadonlySet<string>): Promise<Profile[]> => {
    const missing = [...ids].filter((id) => !known.has(id));
    const stored = await loadProfiles(database, subjectType, organizationId, { ids: missing, identifiers: [] });
    return [...[...ids].flatMap((id) => known.get(id) ?? []), ...stored.map(({ profile }) => profile)];
  };
  const users = await profilesOf("user", new Set(wanted.user));
  const accountIds = new Set([...wanted.account, ...users.flatMap(({ accountId }) => accountId ?? [])]);
  const accounts = await profilesOf("account", accountIds);

  const segments = await loadSegments(database, organizationId, revisions);
  const statesOf = async (subjectType: SubjectType, profiles: readonly Profile[]) => {
    const segmentIds = segments.filter((segment) => segment.subjectType === subjectType).map(({ id }) => id);
    const ids = segmentIds.length === 0 ? [] : profiles.map(({ id }) => id);
    const memberships = ids.length === 0 ? undefined : await questions.membershipsOf(organizationId, ids);
    return new Map(
      profiles.map((profile): [string, SubjectState] => {
        const joined = new Set(memberships?.get(profile.id)?.map(({ segmentId }) => segmentId));
        // The question engine may still hold members of segments that were deleted.
        const kept = segmentIds.filter((id) => joined.has(id));
        return [profile.id, { report: reportOf(profile, definitions[subjectType], now), segmentIds: kept }];
      }),
    );
  };
  const agreements: Agreements =
    purposes.length === 0 ? new Map() : new Map(users.map((user) => [user.id, agreedPurposes(user, purposes)]));
  const states = { user: await statesOf("user", users), account: await statesOf("account", accounts) };
  return { definitions, states, agreements };
}
