/** A change that a person has made, as it is noted. */
export interface NewAuditEntry {
  /** The member who made it; missing when it was the operator with the admin token. */
  memberId?: string | undefined;
  /** The name and address of the member at that time, or "operator". */
  who: string;
  /** The method and the path of the route, such as `PUT /api/v1/:id`. */
  action: string;
  objectType?: string | undefined;
  objectId?: string | undefined;
  /** The name of the object at that time. */
  label?: string | undefined;
  /** The fields that have changed, as they were. */
  before?: unknown;
  /** The fields that have changed, as they became; for an action without an object, what was asked for. */
  after?: unknown;
  address: string;
}

/** What was changed. */
export type AuditedChange = Pick<NewAuditEntry, "objectType" | "objectId" | "label" | "before" | "after">;

export interface AuditEntry extends NewAuditEntry {
  id: number;
  happenedAt: Date;
}

/** Which entries a reader wants. Missing parts do not restrict. */
export interface AuditFilter {
  memberId?: string | undefined;
  objectId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}
