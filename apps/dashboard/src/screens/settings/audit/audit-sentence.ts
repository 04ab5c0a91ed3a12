import type { AuditEntry } from "@muster/protocol/api/members";

/** What a type of object is called in the dashboard. */
const NOUNS: Record<string, string> = {
  organization: "the organization",
  connector: "connector",
  user: "user",
  account: "account",
  users_segment: "user segment",
  accounts_segment: "account segment",
  entity: "entity",
  comment: "comment",
  job: "job",
  platform: "platform",
  deployment: "deployment",
  member: "member",
  invitation: "invitation",
};

/** Actions whose route does not say well enough what happened. */
const SENTENCES: Record<string, string> = {
  "POST /connectors": "Created connector",
  "POST /connectors/install": "Installed connector",
  "POST /:id/refresh": "Read the manifest again of connector",
  "POST /:id/secret": "Replaced the secret of connector",
  "POST /:id/call": "Called connector",
  "POST /:id/export": "Sent users to connector",
  "POST /:id/send": "Sent somebody to connector",
  "POST /:id/delivery/test": "Sent a test to connector",
  "POST /:id/write_keys": "Created a write key of connector",
  "PUT /:id/write_keys/:key_id": "Changed a write key of connector",
  "POST /:id/write_keys/:key_id/roll": "Replaced a write key of connector",
  "DELETE /:id/write_keys/:key_id": "Deleted a write key of connector",
  "POST /:id/versions/:number/restore": "Restored an earlier version of user segment",
  "PUT /:id/attributes": "Edited values of",
  "POST /:id/alias": "Added an identifier to",
  "POST /:id/unalias": "Removed an identifier of",
  "POST /:id/unmerge": "Undid a merge of",
  "DELETE /do_not_merge/:id": "Let two be merged again",
  "POST /computed_attributes": "Created a computed attribute",
  "PUT /computed_attributes/:id": "Changed a computed attribute",
  "DELETE /computed_attributes/:id": "Deleted a computed attribute",
  "PUT /:id/status": "Set the status of connector",
  "POST /:id/comments": "Commented on",
  "POST /:id/entities": "Created an entity",
  "POST /:id/deployments": "Deployed a connector on platform",
  "POST /platforms": "Created platform",
  "POST /organizations": "Created organization",
  "POST /insights": "Saved insight",
  "PUT /insights/:id": "Changed insight",
  "DELETE /insights/:id": "Deleted insight",
  "PUT /insights/home": "Arranged the insights on Home",
  "POST /insights/segment": "Created a segment from an insight",
  "POST /views": "Saved view",
  "PUT /views/:id": "Changed view",
  "DELETE /views/:id": "Deleted view",
  "POST /attributes/convert": "Changed the type of an attribute",
  "POST /attributes/delete": "Deleted an attribute everywhere",
  "PUT /events/plan": "Changed the plan of an event",
  "POST /events/merge": "Merged event names",
  "POST /events/unmerge": "Undid a merge of event names",
  "PUT /purposes/:name": "Saved a purpose",
  "DELETE /purposes/:name": "Deleted a purpose",
  "POST /catalogue/destinations": "Installed the destinations",
  "POST /catalogue": "Added to the catalogue",
  "DELETE /catalogue": "Removed from the catalogue",
  "POST /invitations": "Invited",
  "DELETE /invitations/:id": "Withdrew the invitation of",
  "PUT /members/:id": "Changed the role of",
  "DELETE /members/:id": "Removed member",
  "POST /sign_in_links": "Made a sign-in link",
  "POST /uploads": "Began to upload a file",
  "PUT /uploads/:id": "Uploaded a part of a file",
  "PUT /dead_letters/:id": "Edited a dead letter",
  "POST /dead_letters/retry": "Sent dead letters again",
  "POST /dead_letters/discard": "Discarded dead letters",
  "POST /ingestion/rejected/retry": "Tried refused records again",
  "POST /ingestion/rejected/:id/retry": "Edited a refused record and tried it again",
  "POST /ingestion/rejected/discard": "Discarded refused records",
  "POST /deliveries/resume": "Let connectors be called again",
  "POST /backup": "Made a backup",
  "POST /rebuild": "Rebuilt the question engine",
  "POST /keys": "Made a new signing key",
};

const VERBS: Record<string, string> = { POST: "Changed", PUT: "Changed", DELETE: "Removed" };

/** What happened, as a sentence without the person. @example "Changed user segment Buyers" */
export function auditSentence({ action, object_type, object_id, label, after }: AuditEntry): string {
  const [method = "", path = ""] = action.replace("/api/v1", "").split(" ");
  const name = label ?? object_id ?? "";
  const known = SENTENCES[`${method} ${path}`];
  if (known) return joined(known, name);
  if (method === "POST" && path === "/:id/revert") return revertSentence(object_type, name, isDryRun(after));
  // One route creates both kinds.
  if (/^\/(users|accounts)_segments$/.test(path)) return joined("Created", NOUNS[object_type ?? ""] ?? "segment", name);
  const [, subject, attribute] = /^\/settings\/(user|account)_traits?(?:_groups)?\/(.*)$/.exec(path) ?? [];
  if (subject) return joined(`Changed an attribute${attribute === ":group" ? " group" : ""} of ${subject}s`, name);
  if (path === "/:id") return joined(VERBS[method] ?? method, NOUNS[object_type ?? ""] ?? "object", name);
  const [, kind, what] = /^\/(import|extract)\/(\w+)$/.exec(path) ?? [];
  if (kind) return `${kind === "import" ? "Imported" : "Extracted"} ${(what ?? "").replaceAll("_", " ")}`;
  const words = path
    .replaceAll(/:\w+|\*/g, "")
    .replaceAll(/[/_]+/g, " ")
    .trim();
  return joined(VERBS[method] ?? method, words, name);
}

/** A job is undone as a whole, and of a connector what it wrote in a range of time. */
function revertSentence(type: string | null, name: string, isDry: boolean): string {
  const what = joined(type === "connector" ? "the writes of connector" : "job", name);
  return isDry ? `Looked at what undoing ${what} would do` : `Undid ${what}`;
}

function isDryRun(asked: AuditEntry["after"]): boolean {
  return typeof asked === "object" && asked !== null && "dry_run" in asked && asked.dry_run === true;
}

function joined(...words: string[]): string {
  return words.filter((word) => word !== "").join(" ");
}
