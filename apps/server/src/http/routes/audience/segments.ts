import { type Brand, isDefaultBrand, isObject, Refusal, type SubjectType, typeOfId } from "@muster/protocol";
import { SEGMENTS_API } from "@muster/protocol/api/segments";
import type { FastifyRequest } from "fastify";
import type { JoinedSegment } from "../../../audience/segments/segment-record.js";
import type { Segments } from "../../../audience/segments/segments.js";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import type { Profile } from "../../../domain/profiles/profile.js";
import type { App } from "../../app-type.js";
import { type Caller, isEndUser, nameOf } from "../../auth/caller.js";
import { INCOMPLETE, type NoteIncomplete } from "../../hooks/incomplete-answers.js";
import type { ObjectHandler } from "../../object-handler.js";
import { notFound } from "../not-found.js";
import { pageOfAll } from "../pagination.js";
import { findMe } from "./find-me.js";
import { readSegmentChange } from "./read-segment-change.js";
import { subjectTypeOf } from "./segment-draft.js";
import { shownSegments } from "./shown-segments.js";

export interface SegmentRoutesOptions {
  segments: Segments;
  subjects: Subjects;
  brand: Brand;
  noteIncomplete: NoteIncomplete;
}

/** Routes for listing, creating and explaining segments. */
export function segmentRoutes(app: App, { segments, subjects, brand, noteIncomplete }: SegmentRoutesOptions): void {
  const list = (
    path: "users_segments" | "accounts_segments" | "segments",
    subjectType: SubjectType | undefined,
    members: string,
  ) =>
    app.get(
      `/${path}`,
      {
        config: { access: "connector" },
        preHandler: noteIncomplete,
        schema: {
          tags: ["segments"],
          summary: `All segments of ${members}`,
          description: INCOMPLETE,
          ...SEGMENTS_API[`GET /api/v1/${path}`],
        },
      },
      async (request, reply) => {
        const { tag, folder } = request.query;
        const all = await segments.list(request.caller.organization.id, subjectType);
        const kept = all.filter(
          (segment) =>
            (folder === undefined || segment.folder === folder) &&
            (tag === undefined || segment.tags.some((one) => one.toLowerCase() === tag.toLowerCase())),
        );
        return pageOfAll(request, reply, brand, request.query, kept);
      },
    );
  list("users_segments", "user", "users");
  list("accounts_segments", "account", "accounts");
  list("segments", undefined, "users and accounts");

  const create = (path: "users_segments" | "accounts_segments", subjectType: SubjectType) =>
    app.post(
      `/${path}`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["segments"],
          summary: `Create a segment of ${subjectType}s`,
          ...SEGMENTS_API[`POST /api/v1/${path}`],
        },
        ...(isDefaultBrand(brand) ? {} : { preValidation: addPredicate }),
      },
      async ({ caller, body }, reply) => {
        reply.status(201);
        const given = body.type === undefined ? subjectType : subjectTypeOf(body.type);
        return segments.create(caller.organization.id, given, body, { who: nameOf(caller) });
      },
    );
  create("users_segments", "user");
  create("accounts_segments", "account");

  app.get(
    "/:id/segments",
    {
      config: { access: "subject" },
      preHandler: noteIncomplete,
      schema: {
        tags: ["segments"],
        description: INCOMPLETE,
        summary: "The segments that a user or account is in, with the time it entered each",
        ...SEGMENTS_API["GET /api/v1/{id}/segments"],
      },
    },
    async (request, reply) => {
      const all = await segmentsOf(request.params.id, request.caller, segments, subjects);
      return pageOfAll(request, reply, brand, request.query, shownSegments(all, request.caller));
    },
  );

  app.get(
    "/:id/segments/:segment_id/explain",
    {
      config: { access: "connector" },
      schema: {
        tags: ["segments"],
        summary: "Why a user or account is in a segment or not, for each clause of the query",
        ...SEGMENTS_API["GET /api/v1/{id}/segments/{segment_id}/explain"],
      },
    },
    async ({ caller, params }) => {
      const profile = await findSubject(params.id, caller, subjects);
      const answer = profile && (await segments.explain(caller.organization.id, profile.id, params.segment_id));
      if (answer) return { matches: answer.matches, clauses: [...answer.clauses] };
      throw new Refusal(
        "not_found",
        `There is no segment "${params.segment_id.slice(0, 100)}" that "${params.id.slice(0, 100)}" could be in.`,
      );
    },
  );
}

/** Segments under `/:id`. */
export function segmentObjects(segments: Segments): ObjectHandler {
  return {
    asksQuestions: true,
    read: (id, { organization }) => segments.find(organization.id, id),
    update: (id, body, caller) =>
      segments.update(caller.organization.id, id, readSegmentChange(body), { who: nameOf(caller) }),
    remove: (id, { organization }) => segments.remove(organization.id, id),
  };
}

async function segmentsOf(
  given: string,
  caller: Caller,
  segments: Segments,
  subjects: Subjects,
): Promise<JoinedSegment[]> {
  if (isEndUser(caller) && given !== "me" && given !== (await findMe(subjects, caller))?.id) {
    throw new Refusal("forbidden", "A token may read only the profile of its own user.");
  }
  const profile = await findSubject(given, caller, subjects);
  if (!profile) throw notFound("user or account", given);
  return segments.of(caller.organization.id, profile.subjectType, profile.id);
}

/** The user or account with an id, or the user that `me` means. */
async function findSubject(given: string, caller: Caller, subjects: Subjects): Promise<Profile | undefined> {
  if (given === "me") return findMe(subjects, caller);
  return subjects.find(typeOfId(given) === "account" ? "account" : "user", caller.organization.id, given);
}

/** Older clients send the query alone. */
async function addPredicate(request: FastifyRequest): Promise<void> {
  if (isObject(request.body)) request.body = { predicate: {}, ...request.body };
}
