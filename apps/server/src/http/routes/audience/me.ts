import { Refusal } from "@muster/protocol";
import { SUBJECTS_API } from "@muster/protocol/api/subjects";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import type { App } from "../../app-type.js";
import type { AuthenticateOptions } from "../../auth/authenticate.js";
import { readerOf } from "../../auth/caller.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";
import { findMe } from "./find-me.js";
import { meRecord, signInHeaders } from "./me-record.js";
import { shownSegments } from "./shown-segments.js";

export interface MeRoutesOptions {
  authentication: AuthenticateOptions;
  subjects: Subjects;
  noteIncomplete: NoteIncomplete;
}

/** Routes for the user of a token: the record and the report. */
export function meRoutes(app: App, { authentication, subjects, noteIncomplete }: MeRoutesOptions): void {
  app.get(
    "/me",
    {
      config: { access: "anyone" },
      schema: {
        tags: ["tracking"],
        summary: "The user of the token, or false when the user is not known",
        ...SUBJECTS_API["GET /api/v1/me"],
      },
    },
    async ({ caller }, reply) => {
      const user = await findMe(subjects, caller);
      if (!user) return reply.type("application/json; charset=utf-8").send(false);
      // The token may name the user by a former id.
      if (caller.kind === "subject" && caller.platformId !== undefined) {
        reply.headers(signInHeaders(authentication, caller, user.id));
      }
      return meRecord({ subjects, authentication }, caller, user);
    },
  );

  app.get(
    "/me/user_report",
    {
      config: { access: "subject" },
      preHandler: noteIncomplete,
      schema: {
        tags: ["tracking"],
        summary: "The flat report of the user of the token, with the account and the segments",
        description: INCOMPLETE,
        ...SUBJECTS_API["GET /api/v1/me/user_report"],
      },
    },
    async ({ caller }) => {
      const user = await findMe(subjects, caller);
      if (!user) throw new Refusal("not_found", "The user of this token is not known yet.");
      const { report, segments } = await subjects.reportWithSegments(caller.organization.id, user, readerOf(caller));
      return { ...report, segments: shownSegments(segments, caller) };
    },
  );
}
