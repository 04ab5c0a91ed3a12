import { SEGMENTS_API } from "@muster/protocol/api/segments";
import type { SegmentCounts } from "../../../audience/search/segment-counts.js";
import type { SegmentDrafts } from "../../../audience/search/segment-drafts.js";
import type { SegmentImpact } from "../../../deliveries/messages/segment-impact.js";
import { abortOnDisconnect } from "../../abort-on-disconnect.js";
import type { App } from "../../app-type.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";
import { notFound } from "../not-found.js";
import { readDraft } from "./segment-draft.js";

export interface SegmentDraftRoutesOptions {
  drafts: SegmentDrafts;
  counts: SegmentCounts;
  impact: SegmentImpact;
  noteIncomplete: NoteIncomplete;
}

/** Routes about segments that are not saved: how many they select, whom, and what saving would do. */
export function segmentDraftRoutes(
  app: App,
  { drafts, counts, impact, noteIncomplete }: SegmentDraftRoutesOptions,
): void {
  const options = { config: { access: "connector", reads: true }, preHandler: noteIncomplete } as const;
  const documented = { tags: ["segments"], description: INCOMPLETE };

  app.post(
    "/segments/count",
    {
      ...options,
      schema: {
        ...documented,
        summary: "How many a query selects",
        ...SEGMENTS_API["POST /api/v1/segments/count"],
      },
    },
    async ({ caller, body }, reply) => {
      const start = performance.now();
      const counted = await drafts.count(caller.organization.id, readDraft(body, abortOnDisconnect(reply)));
      if (!counted) throw notFound("segment", body.segment_id ?? "");
      return { ...counted, took_ms: Math.round((performance.now() - start) * 10) / 10 };
    },
  );

  app.post(
    "/segments/clauses",
    {
      ...options,
      schema: {
        ...documented,
        summary: "How many are left after each condition of a query",
        ...SEGMENTS_API["POST /api/v1/segments/clauses"],
      },
    },
    async ({ caller, body }, reply) => {
      const counted = await counts.clauses(caller.organization.id, readDraft(body, abortOnDisconnect(reply)));
      if (!counted) throw notFound("segment", body.segment_id ?? "");
      return counted;
    },
  );

  app.post(
    "/segments/overlap",
    {
      ...options,
      schema: {
        ...documented,
        summary: "How many are in each region where two or three segments overlap",
        ...SEGMENTS_API["POST /api/v1/segments/overlap"],
      },
    },
    async ({ caller, body }, reply) =>
      counts.overlap(caller.organization.id, body.segment_ids, abortOnDisconnect(reply)),
  );

  app.post(
    "/segments/preview",
    {
      ...options,
      schema: {
        ...documented,
        summary: "Whom a query selects, and who would enter and leave a saved segment with it",
        ...SEGMENTS_API["POST /api/v1/segments/preview"],
      },
    },
    async ({ caller, body }, reply) => {
      const preview = await drafts.preview(caller.organization.id, readDraft(body, abortOnDisconnect(reply)));
      if (!preview) throw notFound("segment", body.segment_id ?? "");
      return preview;
    },
  );

  app.post(
    "/segments/convert",
    {
      config: { access: "connector", reads: true },
      schema: {
        tags: ["segments"],
        summary: "The query of a predicate, and the predicate of a query where there is one",
        ...SEGMENTS_API["POST /api/v1/segments/convert"],
      },
    },
    async ({ caller, body }, reply) => {
      const converted = await drafts.convert(caller.organization.id, readDraft(body, abortOnDisconnect(reply)));
      if (!converted) throw notFound("segment", body.segment_id ?? "");
      // A predicate is plain JSON; its type has readonly parts, which the schema cannot say.
      return { ...converted, predicate: converted.predicate as Record<string, unknown> | null };
    },
  );

  app.post(
    "/segments/impact",
    {
      ...options,
      schema: {
        ...documented,
        summary: "What saving a segment would do: who moves, and how many messages connectors get about it",
        ...SEGMENTS_API["POST /api/v1/segments/impact"],
      },
    },
    async ({ caller, body }, reply) => {
      const found = await impact.of(caller.organization.id, readDraft(body, abortOnDisconnect(reply)));
      if (!found) throw notFound("segment", body.segment_id ?? "");
      return found;
    },
  );
}
