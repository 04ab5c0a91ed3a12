import { isObject, typeOfId } from "@muster/protocol";
import type { FastifyRequest } from "fastify";
import type { AuditedChange, NewAuditEntry } from "../../domain/members/audit-entry.js";
import { changedFields } from "../../domain/members/changed-fields.js";
import { bounded, masked } from "../../domain/members/masked.js";
import type { AuditLog } from "../../members/audit-log.js";
import type { App } from "../app-type.js";
import { type Caller, nameOf } from "../auth/caller.js";
import type { ObjectHandlers } from "../object-handler.js";

export interface AuditChangesOptions {
  auditLog: AuditLog;
  handlers: ObjectHandlers;
}

/** Types whose values are data of people, which an erasure must reach: the log names only the object. */
const PERSONAL: readonly (string | undefined)[] = ["user", "account", "event", "comment"];

type ReadObject = (id: string, caller: Caller) => Promise<unknown>;

const MAX_READ_LENGTH = 100_000;

/**
 * Writes a row of the audit log for every change that a member or the operator makes. A row that cannot be written is
 * logged as an error and fails nothing, because the change is done by then.
 */
export function auditChanges(app: App, { auditLog, handlers }: AuditChangesOptions): void {
  const read: ReadObject = async (id, caller) => {
    const type = typeOfId(id);
    if (type === undefined || PERSONAL.includes(type)) return undefined;
    return handlers[type]?.read?.(id, caller);
  };

  app.decorateRequest("audited");
  app.decorateRequest("changesNothing", false);
  app.addHook("preHandler", async (request) => {
    const id = changedObjectId(request);
    if (id === undefined) return;
    try {
      // A copy: some services return what they keep in memory.
      request.recordBefore = structuredClone(await read(id, request.caller));
    } catch (error) {
      request.log.error({ err: error, id }, "the audit log will not tell what an object was before its change");
    }
  });
  app.addHook("onSend", async (request, reply, payload) => {
    if (!isAudited(request) || request.changesNothing || reply.statusCode >= 400) return payload;
    try {
      const id = changedObjectId(request);
      const found =
        id === undefined
          ? {
              ...(await describeCreated(request, reply.statusCode, payload, read)),
              ...(await describeAction(request, read)),
            }
          : await describeObject(request, id, read);
      const entry = { ...whoIs(request.caller), ...actionOf(request), ...found, ...request.audited };
      await auditLog.append(request.caller.organization.id, entry);
    } catch (error) {
      request.log.error({ err: error, action: actionOf(request).action }, "a change is missing in the audit log");
    }
    return payload;
  });
}

/** Whether a request changes something for a person. */
function isAudited({ caller, method, routeOptions }: FastifyRequest): boolean {
  const isChange = !["GET", "HEAD", "OPTIONS"].includes(method) && !routeOptions.config.reads;
  return isChange && (caller?.kind === "member" || caller?.kind === "operator");
}

/** The id of the object under `/:id` that a request changes, when it can be read before and after. */
function changedObjectId(request: FastifyRequest): string | undefined {
  if (!isAudited(request) || request.routeOptions.url !== "/api/v1/:id") return undefined;
  const { id } = request.params as { id: string };
  return id === "org" ? request.caller.organization.id : id;
}

async function describeObject(request: FastifyRequest, id: string, read: ReadObject): Promise<AuditedChange> {
  const type = typeOfId(id);
  if (PERSONAL.includes(type)) return { objectType: type, objectId: id };
  const before = request.recordBefore;
  const after = await read(id, request.caller);
  return { objectType: type, objectId: id, label: labelOf(before) ?? labelOf(after), ...changedFields(before, after) };
}

/** An action on an object or on many: what was asked for, and the name of the object, which the path or the body may have. */
async function describeAction(request: FastifyRequest, read: ReadObject): Promise<AuditedChange> {
  const { params, body, routeOptions, caller } = request;
  const { id, name: named, group, "*": rest } = (isObject(params) ? params : {}) as Record<string, string | undefined>;
  const hasBody = isObject(body) && !Buffer.isBuffer(body) && !routeOptions.config.hasPersonalBody;
  const label = id === undefined ? labelOf({ name: named ?? group ?? rest }) : labelOf(await read(id, caller));
  return {
    ...(id === undefined ? {} : { objectId: id, objectType: typeOfId(id) }),
    ...(label === undefined ? {} : { label }),
    ...(hasBody ? { after: bounded(masked(body)) } : {}),
    ...(hasBody && typeof body.name === "string" ? { label: body.name.slice(0, 200) } : {}),
  };
}

/**
 * The object that an answer says was created, with its name: a connector that is installed from an address has it from
 * its manifest. Only the id of the answer is read, because an answer may hold a secret.
 */
async function describeCreated(
  { caller }: FastifyRequest,
  status: number,
  payload: unknown,
  read: ReadObject,
): Promise<AuditedChange> {
  if (status !== 201 || typeof payload !== "string" || payload.length > MAX_READ_LENGTH) return {};
  const created: unknown = JSON.parse(payload);
  const id = isObject(created) ? created.id : undefined;
  if (typeof id !== "string") return {};
  const label = labelOf(await read(id, caller));
  return { objectId: id, objectType: typeOfId(id), ...(label === undefined ? {} : { label }) };
}

function actionOf({ method, routeOptions, ip }: FastifyRequest): Pick<NewAuditEntry, "action" | "address"> {
  return { action: `${method} ${routeOptions.url ?? ""}`, address: ip };
}

function whoIs(caller: Caller): Pick<NewAuditEntry, "memberId" | "who"> {
  const who = nameOf(caller);
  return caller.kind === "member" ? { memberId: caller.member.id, who } : { who };
}

function labelOf(record: unknown): string | undefined {
  return isObject(record) && typeof record.name === "string" ? record.name.slice(0, 200) : undefined;
}
