import type { Brand } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { anyValueAs } from "@muster/protocol/api/schema";
import { AttributeValue } from "@muster/protocol/api/values";
import { Type } from "typebox";
import type { AuditEntry } from "../../../domain/members/audit-entry.js";
import type { AuditLog } from "../../../members/audit-log.js";
import type { App } from "../../app-type.js";
import { describePage, limitsOf } from "../pagination.js";

const OptionalText = Type.Union([Type.String(), Type.Null()]);

const AuditRecord = Type.Object(
  {
    id: Type.Integer(),
    happened_at: Type.String({ format: "date-time" }),
    member_id: Type.Union([Type.String(), Type.Null()], {
      description: "Null when it was the operator with the admin token.",
    }),
    who: Type.String({ description: "The name and address of the member at that time, or `operator`." }),
    action: Type.String({ description: "The method and the path of the route." }),
    object_type: OptionalText,
    object_id: OptionalText,
    label: Type.Union([Type.String(), Type.Null()], { description: "The name of the object at that time." }),
    before: anyValueAs(AttributeValue, { description: "The fields that have changed, as they were." }),
    after: anyValueAs(AttributeValue, {
      description: "The fields that have changed, as they became, or what was asked for. Secrets are masked.",
    }),
    address: Type.String({ description: "The address that the request came from." }),
  },
  { component: "AuditEntry", description: "A change that a person has made." },
);

export interface AuditRoutesOptions {
  auditLog: AuditLog;
  brand: Brand;
}

/** The audit log of an organization. */
export function auditRoutes(app: App, { auditLog, brand }: AuditRoutesOptions): void {
  app.get(
    "/audit",
    {
      config: { access: "operator" },
      schema: {
        tags: ["members"],
        summary: "The changes that people have made, the latest first",
        querystring: Type.Object({
          ...PageQuery.properties,
          member_id: Type.Optional(Type.String({ description: "Only changes of this member." })),
          object_id: Type.Optional(Type.String({ description: "Only changes of this object." })),
          from: Type.Optional(Type.String({ format: "date-time", description: "Not before this time." })),
          to: Type.Optional(Type.String({ format: "date-time", description: "Before this time." })),
        }),
        response: { 200: Type.Array(AuditRecord) },
      },
    },
    async (request, reply) => {
      const { caller, query } = request;
      const filter = {
        memberId: query.member_id,
        objectId: query.object_id,
        from: query.from === undefined ? undefined : new Date(query.from),
        to: query.to === undefined ? undefined : new Date(query.to),
      };
      const { total, entries } = await auditLog.list(caller.organization.id, filter, limitsOf(query));
      describePage(request, reply, brand, query, total);
      return entries.map(auditRecord);
    },
  );
}

function auditRecord(entry: AuditEntry) {
  return {
    id: entry.id,
    happened_at: entry.happenedAt.toISOString(),
    member_id: entry.memberId ?? null,
    who: entry.who,
    action: entry.action,
    object_type: entry.objectType ?? null,
    object_id: entry.objectId ?? null,
    label: entry.label ?? null,
    before: entry.before ?? null,
    after: entry.after ?? null,
    address: entry.address,
  };
}
