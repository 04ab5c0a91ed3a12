import type { Brand } from "@muster/protocol";
import { MEMBERS_API } from "@muster/protocol/api/members";
import type { AuditEntry } from "../../../domain/members/audit-entry.js";
import type { AuditLog } from "../../../members/audit-log.js";
import type { App } from "../../app-type.js";
import { describePage, limitsOf } from "../pagination.js";

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
        ...MEMBERS_API["GET /api/v1/audit"],
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
