import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import type { Questions } from "../storage/questions/questions.js";
import { Attributes } from "./attributes.js";
import { Charts } from "./charts.js";
import { Entities } from "./entities.js";
import { Search } from "./search.js";
import { Segments, type SegmentsOptions } from "./segments.js";
import { Subjects } from "./subjects.js";

export interface AudienceOptions {
  database: Database;
  questions: Questions;
  connectors: ConnectorStore;
  maxAttributes: number;
  onSegmentChange: SegmentsOptions["onChange"];
}

/** What is read and written of users, accounts, events, segments, attributes and entities. */
export interface Audience {
  search: Search;
  segments: Segments;
  attributes: Attributes;
  entities: Entities;
  charts: Charts;
  subjects: Subjects;
}

export function openAudience({ onSegmentChange, ...options }: AudienceOptions): Audience {
  const search = new Search(options);
  const segments = new Segments({ ...options, search, onChange: onSegmentChange });
  return {
    search,
    segments,
    attributes: new Attributes(options),
    entities: new Entities(options),
    charts: new Charts({ ...options, search, segments }),
    subjects: new Subjects({ ...options, segments }),
  };
}
