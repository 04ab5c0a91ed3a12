import { Refusal, signToken } from "@muster/protocol";
import { Type } from "typebox";
import type { Subjects } from "../../../audience/subjects.js";
import { entryOf } from "../../../domain/entries/admit-entry.js";
import { parsePosition } from "../../../domain/entries/lanes.js";
import type { Profile } from "../../../domain/identity/profile.js";
import type { Pipeline } from "../../../pipeline/pipeline.js";
import type { Database } from "../../../storage/postgres/database.js";
import { recordSignIn } from "../../../storage/postgres/profiles/sign-ins.js";
import type { App } from "../../app-type.js";
import { type AuthenticateOptions, authenticate } from "../../auth/authenticate.js";
import { type Caller, subjectOf } from "../../auth/caller.js";
import { isAdmin } from "./subjects.js";

export interface MeRoutesOptions {
  authentication: AuthenticateOptions;
  subjects: Subjects;
  pipeline: Pipeline;
  database: Database;
}

/** The holder of a token as it sees itself: its record, its report, signing in and out. */
export function meRoutes(app: App, { authentication, subjects, pipeline, database }: MeRoutesOptions): void {
  const requireMe = async (caller: Caller): Promise<Profile> => {
    const user = await findMe(subjects, caller);
    if (!user) throw new Refusal("not_found", "Nobody is known by this token yet.");
    return user;
  };

  const meRecord = async (caller: Caller, user: Profile) => ({
    ...(await subjects.userRecord(caller.organization.id, user, isAdmin(caller))),
    access_token: accessToken(authentication, caller, user),
  });

  app.get(
    "/me",
    { config: { access: "anyone" }, schema: { tags: ["tracking"], summary: "The user of the token, or false" } },
    async ({ caller }, reply) => {
      const user = await findMe(subjects, caller);
      return user ? meRecord(caller, user) : reply.type("application/json; charset=utf-8").send("false");
    },
  );

  app.get(
    "/me/user_report",
    { config: { access: "holder" }, schema: { tags: ["tracking"], summary: "The user's own flat report" } },
    async ({ caller }) => subjects.report(caller.organization.id, await requireMe(caller)),
  );

  app.post(
    "/users/login",
    {
      config: { access: "anyone" },
      schema: {
        tags: ["tracking"],
        summary: "Sign a user in with a token",
        body: Type.Object({ access_token: Type.String({ minLength: 1 }) }),
      },
    },
    async (request) => {
      const { [authentication.brand.headers.appId.toLowerCase()]: _appId, ...headers } = request.headers;
      headers[authentication.brand.headers.accessToken.toLowerCase()] = request.body.access_token;
      const caller = await authenticate(authentication, { headers, query: {}, ip: request.ip }, Date.now());
      const claims = subjectOf(caller);
      const entry = { ...entryOf("traits", {}, claims, Date.now()), active: true };
      const position = await pipeline.intake.acceptEntries(caller.organization.id, claims.issuer, [entry]);
      await pipeline.waitFor(caller.organization.id, parsePosition(position) ?? {});
      const user = await requireMe(caller);
      const url = request.headers["x-track-url"];
      await recordSignIn(
        database,
        caller.organization.id,
        user.id,
        claims.issuer,
        typeof url === "string" ? url : null,
      );
      return meRecord(caller, user);
    },
  );

  app.get(
    "/logout",
    {
      config: { access: "anyone" },
      schema: { tags: ["tracking"], summary: "Sign out; tokens are not stored, so there is nothing to forget" },
    },
    async () => ({ signed_out: true }),
  );
}

/** The user that `me` stands for. */
export async function findMe(subjects: Subjects, caller: Caller): Promise<Profile | undefined> {
  if (caller.kind === "anonymous" || caller.kind === "operator" || !caller.subject) return undefined;
  const subject = await subjects.findSubject(caller.organization.id, caller.subject);
  return subject?.kind === "user" ? subject : undefined;
}

/** A token by which the user is recognised from now on. */
function accessToken({ brand }: AuthenticateOptions, caller: Caller, user: Profile): string | null {
  if (caller.kind !== "subject" && caller.kind !== "connector") return null;
  return signToken(
    {
      iss: caller.connector.id,
      iat: Math.floor(Date.now() / 1_000),
      sub: user.id,
      [brand.claims.subjectType]: "user",
    },
    caller.connector.secret,
  );
}
