import type { SubjectType } from "@muster/protocol";
import type { AttributeTypes, Question, SegmentQuery } from "@muster/query";

export interface Membership {
  segmentId: string;
  enteredAt: string;
}

/** A user or account and the segments it enters and leaves. */
export interface MembershipChange {
  id: string;
  entered: readonly string[];
  left: readonly string[];
}

/** How the queries of segments are read. */
export interface SegmentReading {
  target: SubjectType;
  attributeTypes: AttributeTypes;
  now: Date;
}

/** Who is in which segment, as it is stored and as it should be. */
export interface Memberships {
  /** The segments of users or accounts; an entry for each id. */
  membershipsOf(organizationId: string, ids: readonly string[]): Promise<Map<string, Membership[]>>;
  /** How many are in each segment; those with nobody may be left out. */
  segmentSizes(organizationId: string, segmentIds: readonly string[]): Promise<Map<string, number>>;
  /** Members of a segment after an id, in the order of their ids. */
  membersAfter(organizationId: string, segmentId: string, after: string, limit: number): Promise<string[]>;

  /** What must change for the stored memberships of these users or accounts to be true. */
  changesOf(
    organizationId: string,
    segments: readonly SegmentQuery[],
    ids: readonly string[],
    reading: SegmentReading,
  ): Promise<MembershipChange[]>;
  /**
   * Who must enter and leave one segment for it to be true, at most `limit` of them; once they have, the next call tells
   * of the next. Nobody when its query does not fit the types of its fields any more.
   */
  changesOfSegment(
    organizationId: string,
    segment: SegmentQuery,
    limit: number,
    reading: SegmentReading,
  ): Promise<{ entered: string[]; left: string[] }>;
  /** The ids of the questions whose answer is yes, by user or account; nobody without one is in it. */
  answer(
    organizationId: string,
    questions: readonly Question[],
    ids: readonly string[],
    reading: SegmentReading,
  ): Promise<Map<string, ReadonlySet<string>>>;
}
