import { type Brand, Refusal, type SubjectType, typeOfId } from "@muster/protocol";
import { HISTORY_API, TIMELINE_KINDS } from "@muster/protocol/api/history";
import type { SubjectAttributes } from "../../../audience/subjects/subject-attributes.js";
import type { SubjectIdentity } from "../../../audience/subjects/subject-identity.js";
import type { SubjectPast } from "../../../audience/subjects/subject-past.js";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import type { Timeline } from "../../../audience/subjects/timeline.js";
import type { TimelineKind } from "../../../audience/subjects/timeline-items.js";
import type { Profile } from "../../../domain/profiles/profile.js";
import type { App } from "../../app-type.js";
import { type Caller, connectorIdOf, ownConnectorId } from "../../auth/caller.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";
import { notFound } from "../not-found.js";
import { readMoment } from "../read-moment.js";

export interface SubjectHistoryRoutesOptions {
  subjects: Subjects;
  past: SubjectPast;
  attributes: SubjectAttributes;
  identity: SubjectIdentity;
  timeline: Timeline;
  brand: Brand;
  noteIncomplete: NoteIncomplete;
}

const MAX_AUDITED = 100;

/** What is known about one user or account, where it comes from, and what happened. */
export function subjectHistoryRoutes(app: App, options: SubjectHistoryRoutesOptions): void {
  const { subjects, past, attributes, identity, timeline, brand, noteIncomplete } = options;

  app.get(
    "/:id/attributes",
    {
      config: { access: "connector" },
      preHandler: noteIncomplete,
      schema: {
        tags: ["reports"],
        summary: "The attributes of a user or account, with who wrote them and what they were before",
        description: `Previous values are those of attributes whose changes are tracked. With \`at\`, these are the attributes as they were then. ${INCOMPLETE}`,
        ...HISTORY_API["GET /api/v1/{id}/attributes"],
      },
    },
    async ({ caller, params: { id }, query: { at } }) => {
      if (at === undefined) {
        const profile = await requireSubject(subjects, id, caller);
        return { attributes: await attributes.list(caller.organization.id, profile) };
      }
      const { organization } = caller;
      const moment = readMoment(at);
      const subject = await past.at(subjectTypeOf(id), organization.id, id, moment);
      if (!subject) throw notFound("user or account", id);
      const { attributes: known, not_kept } = await attributes.listAt(organization.id, subject, moment);
      const known_since = subject.knownSince.toISOString();
      return { attributes: known, past: { at: new Date(moment).toISOString(), known_since, not_kept } };
    },
  );

  app.put(
    "/:id/attributes",
    {
      config: { access: "connector", hasPersonalBody: true },
      schema: {
        tags: ["reports"],
        summary: "Write attributes of a user or account by hand",
        description:
          "The values take the path of all other records. A member who writes them is named as their source. Attributes must be defined; null unsets one.",
        ...HISTORY_API["PUT /api/v1/{id}/attributes"],
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request;
      const profile = await requireSubject(subjects, params.id, caller);
      const by = caller.kind === "member" ? { memberId: caller.member.id } : {};
      const position = await attributes.set(caller.organization.id, profile, body.attributes, {
        connectorId: connectorIdOf(caller),
        ...by,
      });
      // Values are data of people, so the audit log names only the attributes.
      request.audited = { after: { attributes: Object.keys(body.attributes).slice(0, MAX_AUDITED) } };
      reply.header(brand.headers.position, position);
      return { position };
    },
  );

  app.get(
    "/:id/timeline",
    {
      config: { access: "connector" },
      preHandler: noteIncomplete,
      schema: {
        tags: ["reports"],
        summary: "What happened to a user or account, the latest first",
        description: `Events, changes of attributes, moves in and out of segments, deliveries to connectors, merges and comments. The timeline of an account has the events of its users too. A connector sees the deliveries to itself. ${INCOMPLETE}`,
        ...HISTORY_API["GET /api/v1/{id}/timeline"],
      },
    },
    async ({ caller, params, query }) => {
      const profile = await requireSubject(subjects, params.id, caller);
      return timeline.read(caller.organization.id, profile, {
        limit: query.per_page,
        kinds: query.kinds === undefined ? undefined : readKinds(query.kinds),
        name: query.name,
        // What other connectors answered is theirs.
        connectorId: ownConnectorId(caller),
        cursor: query.cursor,
        after: query.after === undefined ? undefined : Date.parse(query.after),
      });
    },
  );

  app.get(
    "/:id/identity",
    {
      config: { access: "connector" },
      schema: {
        tags: ["reports"],
        summary: "The identifiers of a user or account, and what was merged into it",
        ...HISTORY_API["GET /api/v1/{id}/identity"],
      },
    },
    async ({ caller, params }) =>
      identity.read(caller.organization.id, await requireSubject(subjects, params.id, caller)),
  );

  app.post(
    "/:id/alias",
    {
      config: { access: "connector", hasPersonalBody: true },
      schema: {
        tags: ["reports"],
        summary: "Add an identifier to a user or account",
        description:
          "Whoever has the identifier is merged into it, unless the two are certainly different. This is how somebody joins a visitor with the user who is probably the same.",
        ...HISTORY_API["POST /api/v1/{id}/alias"],
      },
    },
    async ({ caller, params, body }, reply) => {
      const profile = await requireSubject(subjects, params.id, caller);
      const position = await identity.alias(caller.organization.id, profile, { ...body }, connectorIdOf(caller));
      reply.header(brand.headers.position, position);
      return { position };
    },
  );

  app.post(
    "/:id/unalias",
    {
      config: { access: "connector", hasPersonalBody: true },
      schema: {
        tags: ["reports"],
        summary: "Remove an identifier from a user or account",
        description:
          "Later records with this identifier are about somebody else. What earlier records have written stays: a merge is not undone.",
        ...HISTORY_API["POST /api/v1/{id}/unalias"],
      },
    },
    async ({ caller, params, body }, reply) => {
      const profile = await requireSubject(subjects, params.id, caller);
      const position = await identity.unalias(caller.organization.id, profile, { ...body }, connectorIdOf(caller));
      reply.header(brand.headers.position, position);
      return { position };
    },
  );
}

function subjectTypeOf(id: string): SubjectType {
  return typeOfId(id) === "account" ? "account" : "user";
}

async function requireSubject(subjects: Subjects, id: string, caller: Caller): Promise<Profile> {
  const profile = await subjects.find(subjectTypeOf(id), caller.organization.id, id);
  if (!profile) throw notFound("user or account", id);
  return profile;
}

function readKinds(text: string): TimelineKind[] {
  const given = text.split(",").filter((kind) => kind !== "");
  const known = given.filter((kind): kind is TimelineKind => (TIMELINE_KINDS as readonly string[]).includes(kind));
  if (known.length === given.length) return known;
  const message = `must be some of ${TIMELINE_KINDS.join(", ")}, separated by commas`;
  throw new Refusal("invalid_parameter", `querystring.kinds ${message}.`, {
    details: [{ path: "querystring.kinds", message }],
  });
}
