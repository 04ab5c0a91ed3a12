import { Refusal } from "@muster/protocol";
import { SUBJECTS_API } from "@muster/protocol/api/subjects";
import type { SignIns } from "../../../audience/subjects/sign-ins.js";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import type { App } from "../../app-type.js";
import { type AuthenticateOptions, authenticateToken } from "../../auth/authenticate.js";
import { isEndUser, requireClaims } from "../../auth/caller.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";
import type { WaitingReaders } from "../../hooks/waiting-readers.js";
import { findMe } from "./find-me.js";
import { meRecord, signInHeaders } from "./me-record.js";
import { shownSegments } from "./shown-segments.js";

export interface MeRoutesOptions {
  authentication: AuthenticateOptions;
  /** A sign-in waits until its entry is applied, so it counts as a waiting reader. */
  readers: WaitingReaders;
  subjects: Subjects;
  signIns: SignIns;
  noteIncomplete: NoteIncomplete;
}

/** Routes for the user of a token: the record, the report, signing in and out. */
export function meRoutes(
  app: App,
  { authentication, readers, subjects, signIns, noteIncomplete }: MeRoutesOptions,
): void {
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
      return user
        ? meRecord({ subjects, authentication }, caller, user)
        : reply.type("application/json; charset=utf-8").send(false);
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
      const { report, segments } = await subjects.reportWithSegments(caller.organization.id, user);
      return { ...report, segments: shownSegments(segments, caller) };
    },
  );

  app.post(
    "/users/login",
    {
      config: { access: "anyone" },
      schema: {
        tags: ["tracking"],
        summary: "Sign a user in with a token",
        ...SUBJECTS_API["POST /api/v1/users/login"],
      },
    },
    async ({ headers, ip, body }, reply) => {
      const caller = await authenticateToken(authentication, { headers, ip }, body.access_token, Date.now());
      const url = headers["x-track-url"];
      const page = typeof url === "string" ? url : null;
      const user = await readers.count(caller, () =>
        signIns.signIn(caller.organization.id, requireClaims(caller), { url: page, byEndUser: isEndUser(caller) }),
      );
      reply.headers(signInHeaders(authentication.brand, caller, user.id));
      return meRecord({ subjects, authentication }, caller, user);
    },
  );

  app.get(
    "/logout",
    {
      config: { access: "anyone" },
      schema: {
        tags: ["tracking"],
        summary: "Sign out; the server stores no tokens, so this changes nothing on it",
        ...SUBJECTS_API["GET /api/v1/logout"],
      },
    },
    async () => ({ signed_out: true as const }),
  );
}
