import type { SubjectType } from "@muster/protocol";
import type { AttributeTypes, Query, Question, SegmentQuery } from "@muster/query";

export interface Membership {
  segmentId: string;
  enteredAt: string;
}

/** A user or account and the segments it enters and leaves. */
export interface SubjectMoves {
  id: string;
  entered: readonly string[];
  left: readonly string[];
}

/** What is needed to evaluate the queries of segments. */
export interface SegmentReading {
  target: SubjectType;
  attributeTypes: AttributeTypes;
  now: Date;
}

/** All users or accounts. */
export interface WholeAudience {
  /** How many subjects are returned at most. */
  limit: number;
  /** Only those that match this query can have moved. */
  among?: Query | undefined;
}

/** Reads stored memberships, and evaluates which ones must change. */
export interface Memberships {
  /** The memberships of users or accounts, with an entry for each id. */
  membershipsOf(organizationId: string, ids: readonly string[]): Promise<Map<string, Membership[]>>;
  /** How many members each segment has. Empty segments may be missing. */
  segmentSizes(organizationId: string, segmentIds: readonly string[]): Promise<Map<string, number>>;
  /** Members of a segment after an id, in the order of their ids. */
  membersAfter(organizationId: string, segmentId: string, after: string, limit: number): Promise<string[]>;

  /** Evaluates segments for some users or accounts, and returns how their stored memberships must change. */
  changesOf(
    organizationId: string,
    segments: readonly SegmentQuery[],
    ids: readonly string[],
    reading: SegmentReading,
  ): Promise<SubjectMoves[]>;
  /**
   * Evaluates segments for all subjects in one scan, and returns some whose stored memberships must change. When these
   * moves are stored, the next call returns others. A segment whose query does not fit the types of its fields any more
   * moves nobody.
   */
  changesOfSegments(
    organizationId: string,
    segments: readonly SegmentQuery[],
    audience: WholeAudience,
    reading: SegmentReading,
  ): Promise<SubjectMoves[]>;
  /** The ids of the questions whose answer is yes, by user or account. Subjects without any are left out. */
  answer(
    organizationId: string,
    questions: readonly Question[],
    ids: readonly string[],
    reading: SegmentReading,
  ): Promise<Map<string, ReadonlySet<string>>>;
}
