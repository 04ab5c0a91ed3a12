import type { Brand } from "@muster/protocol";
import { SEGMENT_HISTORY_API } from "@muster/protocol/api/segment-history";
import type { SegmentHistory } from "../../../audience/search/segment-history.js";
import type { App } from "../../app-type.js";
import { nameOf } from "../../auth/caller.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";
import { notFound } from "../not-found.js";
import { describePage, limitsOf } from "../pagination.js";
import { readMoment } from "../read-moment.js";

export interface SegmentHistoryRoutesOptions {
  history: SegmentHistory;
  brand: Brand;
  noteIncomplete: NoteIncomplete;
}

/** Who entered and left a segment, and the definitions it has had. */
export function segmentHistoryRoutes(app: App, { history, brand, noteIncomplete }: SegmentHistoryRoutesOptions): void {
  app.get(
    "/:id/moves",
    {
      config: { access: "connector" },
      preHandler: noteIncomplete,
      schema: {
        tags: ["segments"],
        summary: "Who entered and left a segment, the latest first",
        description: INCOMPLETE,
        ...SEGMENT_HISTORY_API["GET /api/v1/{id}/moves"],
      },
    },
    async ({ caller, params, query }) => {
      const { action, per_page: limit, cursor } = query;
      const found = await history.moves(caller.organization.id, params.id, { action, limit, cursor });
      if (!found) throw notFound("segment", params.id);
      return found;
    },
  );

  app.get(
    "/:id/as_of",
    {
      config: { access: "connector" },
      preHandler: noteIncomplete,
      schema: {
        tags: ["segments"],
        summary: "Who was in a segment at a moment, and who differs now",
        description: INCOMPLETE,
        ...SEGMENT_HISTORY_API["GET /api/v1/{id}/as_of"],
      },
    },
    async ({ caller, params, query }) => {
      const { at, who, per_page: limit, after } = query;
      const found = await history.asOf(caller.organization.id, params.id, { at: readMoment(at), who, limit, after });
      if (!found) throw notFound("segment", params.id);
      return found;
    },
  );

  app.get(
    "/:id/versions",
    {
      config: { access: "connector" },
      schema: {
        tags: ["segments"],
        summary: "The definitions that a segment has had, the newest first",
        ...SEGMENT_HISTORY_API["GET /api/v1/{id}/versions"],
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      const found = await history.versions(caller.organization.id, params.id, limitsOf(query));
      if (!found) throw notFound("segment", params.id);
      describePage(request, reply, brand, query, found.total);
      return found.versions;
    },
  );

  app.post(
    "/:id/versions/:number/restore",
    {
      config: { access: "connector" },
      schema: {
        tags: ["segments"],
        summary: "Give a segment the query of an earlier version. It keeps its name.",
        ...SEGMENT_HISTORY_API["POST /api/v1/{id}/versions/{number}/restore"],
      },
    },
    async ({ caller, params }) => {
      const { id, number } = params;
      const restored = await history.restore(caller.organization.id, id, number, nameOf(caller));
      if (!restored) throw notFound("version", `${id} ${number}`);
      return restored;
    },
  );
}
