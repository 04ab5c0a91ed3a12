import { Type } from "typebox";
import type { SegmentDrafts } from "../../../audience/segment-drafts.js";
import type { SegmentImpact } from "../../../deliveries/segment-impact.js";
import { abortOnDisconnect } from "../../abort-on-disconnect.js";
import type { App } from "../../app-type.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";
import { anyObjectAs } from "../../reference/named-schema.js";
import { notFound } from "../not-found.js";
import { DraftBody, Predicate, Query, readDraft } from "./segment-draft.js";

// The reports of users or of accounts, by the type of the segment.
const Reports = Type.Array(anyObjectAs("UserReport", { description: "The report of a user, or of an account." }));
const Sample = Type.Object({ count: Type.Integer(), sample: Reports });

const ImpactAnswer = Type.Object(
  {
    total: Type.Integer({ description: "All users, or all accounts." }),
    size_before: Type.Integer(),
    size_after: Type.Integer(),
    entering: Type.Integer(),
    leaving: Type.Integer(),
    share: Type.Number({ description: "Which part of all would enter or leave, from 0 to 1." }),
    connectors: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        enabled: Type.Boolean({ description: "A disabled connector gets its messages when it is enabled." }),
        messages: Type.Integer(),
      }),
      { description: "The connectors that would get messages about those who move, the most messages first." },
    ),
  },
  { component: "SegmentImpact", description: "What saving a segment would do." },
);

export interface SegmentDraftRoutesOptions {
  drafts: SegmentDrafts;
  impact: SegmentImpact;
  noteIncomplete: NoteIncomplete;
}

/** Routes about segments that are not saved: how many they select, whom, and what saving would do. */
export function segmentDraftRoutes(app: App, { drafts, impact, noteIncomplete }: SegmentDraftRoutesOptions): void {
  const options = { config: { access: "connector", reads: true }, preHandler: noteIncomplete } as const;
  const documented = { tags: ["segments"], description: INCOMPLETE, body: DraftBody };

  app.post(
    "/segments/count",
    {
      ...options,
      schema: {
        ...documented,
        summary: "How many a query selects",
        response: {
          200: Type.Object({
            count: Type.Integer(),
            total: Type.Integer({ description: "All users, or all accounts." }),
            took_ms: Type.Number({ description: "How long the answer took on the server." }),
          }),
        },
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
    "/segments/preview",
    {
      ...options,
      schema: {
        ...documented,
        summary: "Whom a query selects, and who would enter and leave a saved segment with it",
        response: {
          200: Type.Object({ count: Type.Integer(), sample: Reports, entering: Sample, leaving: Sample }),
        },
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
        body: DraftBody,
        response: {
          200: Type.Object({
            query: Query,
            predicate: Type.Union([Predicate, Type.Null()], {
              description: "Null when the query has no form as a predicate, so that a builder cannot show it.",
            }),
            sentence: Type.String({ description: "The query in words." }),
          }),
        },
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
        response: { 200: ImpactAnswer },
      },
    },
    async ({ caller, body }, reply) => {
      const found = await impact.of(caller.organization.id, readDraft(body, abortOnDisconnect(reply)));
      if (!found) throw notFound("segment", body.segment_id ?? "");
      return found;
    },
  );
}
