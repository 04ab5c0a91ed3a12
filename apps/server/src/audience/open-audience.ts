import type { Database } from "../storage/postgres/database.js";
import type { Questions } from "../storage/questions/questions.js";
import { Attributes } from "./attributes.js";
import { Charts } from "./charts.js";
import { Comments } from "./comments.js";
import { Entities } from "./entities.js";
import type { EntryWriter } from "./entry-writer.js";
import { Erasures } from "./erasures.js";
import { Events } from "./events.js";
import type { FindConnector } from "./find-connector.js";
import { Search } from "./search.js";
import { Segments, type SegmentsOptions } from "./segments.js";
import { SignIns } from "./sign-ins.js";
import { Subjects } from "./subjects.js";

export interface AudienceOptions {
  database: Database;
  questions: Questions;
  writer: EntryWriter;
  findConnector: FindConnector;
  maxAttributes: number;
  /** Most entities of an organization, and as many comments. */
  maxEntities: number;
  logRetentionDays: number;
  olderEventKeys?: boolean;
  onSegmentChange: SegmentsOptions["onChange"];
}

/** The services for users, accounts, events, segments, attributes, entities and comments. */
export interface Audience {
  search: Search;
  segments: Segments;
  attributes: Attributes;
  entities: Entities;
  charts: Charts;
  subjects: Subjects;
  signIns: SignIns;
  events: Events;
  comments: Comments;
  erasures: Erasures;
}

export function openAudience({ onSegmentChange, ...options }: AudienceOptions): Audience {
  const search = new Search(options);
  const segments = new Segments({ ...options, search, onChange: onSegmentChange });
  const erasures = new Erasures(options);
  const subjects = new Subjects({ ...options, segments, erasures });
  return {
    search,
    segments,
    attributes: new Attributes(options),
    entities: new Entities(options),
    charts: new Charts({ ...options, search, segments }),
    subjects,
    signIns: new SignIns({ ...options, subjects }),
    events: new Events(options),
    comments: new Comments(options),
    erasures,
  };
}
