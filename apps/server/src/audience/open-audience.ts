import type { Database } from "../storage/postgres/database.js";
import type { Questions } from "../storage/questions/questions.js";
import { AttributeFigures } from "./attributes/attribute-figures.js";
import { Attributes } from "./attributes/attributes.js";
import { Purposes } from "./attributes/purposes.js";
import { ComputedAttributes, type ComputedAttributesOptions } from "./computed/computed-attributes.js";
import { Comments } from "./entities/comments.js";
import { Entities } from "./entities/entities.js";
import { EventNames } from "./events/event-names.js";
import { Events } from "./events/events.js";
import { TrackingPlan } from "./events/tracking-plan.js";
import { InsightUsers } from "./insights/insight-users.js";
import { Insights } from "./insights/insights.js";
import { SavedInsights } from "./insights/saved-insights.js";
import { Charts } from "./search/charts.js";
import { Search } from "./search/search.js";
import { SegmentCounts } from "./search/segment-counts.js";
import { SegmentDrafts } from "./search/segment-drafts.js";
import { SegmentHistory } from "./search/segment-history.js";
import { Views } from "./search/views.js";
import { Segments, type SegmentsOptions } from "./segments/segments.js";
import type { EntryWriter } from "./subjects/entry-writer.js";
import { Erasures } from "./subjects/erasures.js";
import type { FindWriter } from "./subjects/find-writer.js";
import { ProbablySame } from "./subjects/probably-same.js";
import { SignIns } from "./subjects/sign-ins.js";
import { SubjectAttributes } from "./subjects/subject-attributes.js";
import { SubjectIdentity } from "./subjects/subject-identity.js";
import { SubjectMerges, type SubjectMergesOptions } from "./subjects/subject-merges.js";
import { SubjectPast } from "./subjects/subject-past.js";
import { SubjectSearch } from "./subjects/subject-search.js";
import { Subjects } from "./subjects/subjects.js";
import { Timeline } from "./subjects/timeline.js";

export interface AudienceOptions extends FindWriter {
  database: Database;
  questions: Questions;
  writer: EntryWriter;
  maxAttributes: number;
  /** Most computed attributes of an organization. */
  maxComputedAttributes: number;
  /** Most segments of an organization. */
  maxSegments: number;
  /** Most entities of an organization, and as many comments. */
  maxEntities: number;
  logRetentionDays: number;
  olderEventKeys?: boolean;
  onSegmentChange: SegmentsOptions["onChange"];
  onComputedChange: ComputedAttributesOptions["onChange"];
  listenersOf: SubjectMergesOptions["listenersOf"];
}

/** The services for users, accounts, events, segments, attributes, entities, comments and views. */
export interface Audience {
  search: Search;
  subjectSearch: SubjectSearch;
  segments: Segments;
  segmentDrafts: SegmentDrafts;
  segmentCounts: SegmentCounts;
  segmentHistory: SegmentHistory;
  attributes: Attributes;
  attributeFigures: AttributeFigures;
  computedAttributes: ComputedAttributes;
  entities: Entities;
  charts: Charts;
  insights: Insights;
  insightUsers: InsightUsers;
  savedInsights: SavedInsights;
  subjects: Subjects;
  subjectAttributes: SubjectAttributes;
  subjectPast: SubjectPast;
  subjectIdentity: SubjectIdentity;
  subjectMerges: SubjectMerges;
  timeline: Timeline;
  signIns: SignIns;
  events: Events;
  eventNames: EventNames;
  trackingPlan: TrackingPlan;
  comments: Comments;
  erasures: Erasures;
  purposes: Purposes;
  views: Views;
}

export function openAudience({ onSegmentChange, onComputedChange, ...options }: AudienceOptions): Audience {
  const search = new Search(options);
  const segments = new Segments({ ...options, onChange: onSegmentChange });
  const charts = new Charts({ ...options, search, segments });
  const insights = new Insights({ ...options, charts });
  const segmentDrafts = new SegmentDrafts({ ...options, search });
  const erasures = new Erasures(options);
  const past = new SubjectPast(options);
  const subjects = new Subjects({ ...options, segments, erasures, past });
  return {
    search,
    subjectSearch: new SubjectSearch({ ...options, search }),
    segments,
    segmentDrafts,
    segmentCounts: new SegmentCounts({ ...options, search, drafts: segmentDrafts }),
    segmentHistory: new SegmentHistory({ ...options, search, segments }),
    attributes: new Attributes(options),
    attributeFigures: new AttributeFigures(options),
    computedAttributes: new ComputedAttributes({ ...options, onChange: onComputedChange }),
    entities: new Entities(options),
    charts,
    insights,
    insightUsers: new InsightUsers({ ...options, search, segments }),
    savedInsights: new SavedInsights(options),
    subjects,
    subjectPast: past,
    subjectAttributes: new SubjectAttributes(options),
    subjectIdentity: new SubjectIdentity({ ...options, probablySame: new ProbablySame({ ...options, search }) }),
    subjectMerges: new SubjectMerges({ ...options, segments }),
    timeline: new Timeline(options),
    signIns: new SignIns({ ...options, subjects }),
    events: new Events(options),
    eventNames: new EventNames({ ...options, search }),
    trackingPlan: new TrackingPlan(options),
    comments: new Comments(options),
    erasures,
    purposes: new Purposes(options),
    views: new Views(options),
  };
}
