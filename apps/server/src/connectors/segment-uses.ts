import type { SegmentRecord } from "@muster/protocol";
import type { DeclaredSetting, ReadManifest } from "@muster/protocol/manifest";
import type { Database } from "../storage/postgres/database.js";
import { listSegments, type Segment } from "../storage/postgres/segments/segments.js";
import type { ConnectorDirectory, ListedConnector } from "./connector-directory.js";

export interface SegmentUsesOptions {
  database: Database;
  directory: ConnectorDirectory;
}

/** A setting that names a segment, by its path in the connector's record. */
export interface UsedSetting {
  path: string;
  title: string;
}

/** What depends on a segment: connectors that name it in their settings, and segments whose queries name it. */
export interface SegmentUse {
  segment_id: string;
  connectors: { id: string; name: string; enabled: boolean; settings: UsedSetting[] }[];
  segments: Pick<SegmentRecord, "id" | "name" | "type">[];
}

/** Which connectors and segments use a segment. */
export class SegmentUses {
  readonly #options: SegmentUsesOptions;

  constructor(options: SegmentUsesOptions) {
    this.#options = options;
  }

  /** Undefined when there is no such segment. */
  async find(organizationId: string, segmentId: string): Promise<SegmentUse | undefined> {
    return (await this.list(organizationId)).find(({ segment_id }) => segment_id === segmentId);
  }

  async list(organizationId: string): Promise<SegmentUse[]> {
    const { database, directory } = this.#options;
    const segments = await listSegments(database, organizationId);
    const connectors = directory.all().filter(({ connector }) => connector.organizationId === organizationId);
    return segments.map(({ id }) => ({
      segment_id: id,
      connectors: connectors.flatMap((listed) => useOf(listed, id)),
      segments: segments.filter((other) => other.id !== id && asksAbout(other, id)).map(recordOf),
    }));
  }
}

function useOf({ connector, manifest }: ListedConnector, segmentId: string): SegmentUse["connectors"] {
  const groups = { settings: connector.settings, private_settings: connector.privateSettings };
  const settings = Object.entries(groups).flatMap(([group, values]) =>
    Object.entries(values).flatMap(([name, value]) =>
      holds(value, segmentId) ? [{ path: `${group}.${name}`, title: titleOf(manifest, group, name) }] : [],
    ),
  );
  const { id, name, enabled } = connector;
  return settings.length === 0 ? [] : [{ id, name, enabled, settings }];
}

function holds(value: unknown, segmentId: string): boolean {
  if (typeof value !== "object" || value === null) return value === segmentId;
  return Object.values(value).some((inner) => holds(inner, segmentId));
}

function titleOf(manifest: ReadManifest, group: string, name: string): string {
  const declared: readonly DeclaredSetting[] = group === "settings" ? manifest.settings : manifest.private_settings;
  const title = declared.find((setting) => setting.name === name)?.title;
  return typeof title === "string" && title !== "" ? title : name;
}

/** Searches the query as text: ids are unique, and a query that no longer parses still names them. */
function asksAbout({ query }: Segment, segmentId: string): boolean {
  return JSON.stringify(query).includes(`"${segmentId}"`);
}

function recordOf({ id, name, subjectType }: Segment): SegmentUse["segments"][number] {
  return { id, name, type: `${subjectType}s_segment` };
}
