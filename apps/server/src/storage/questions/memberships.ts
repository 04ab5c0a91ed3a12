import type { SubjectType } from "@muster/protocol";
import type { AttributeTypes, Question, SegmentQuery } from "@muster/query";

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
   * Evaluates one segment for all subjects, and returns at most `limit` that must enter or leave it. When these moves are
   * stored, the next call returns the next ones. Returns none when the query does not fit the types of its fields any
   * more.
   */
  changesOfSegment(
    organizationId: string,
    segment: SegmentQuery,
    limit: number,
    reading: SegmentReading,
  ): Promise<{ entered: string[]; left: string[] }>;
  /** The ids of the questions whose answer is yes, by user or account. Subjects without any are left out. */
  answer(
    organizationId: string,
    questions: readonly Question[],
    ids: readonly string[],
    reading: SegmentReading,
  ): Promise<Map<string, ReadonlySet<string>>>;
}
