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
  "POST /users_segments": "Created user segment",
  "POST /accounts_segments": "Created account segment",
  "POST /connectors": "Created connector",
  "POST /connectors/install": "Installed a connector",
  "POST /:id/refresh": "Read the manifest again of connector",
  "POST /:id/secret": "Replaced the secret of connector",
  "POST /:id/call": "Called connector",
  "POST /:id/export": "Sent users to connector",
  "PUT /:id/status": "Set the status of connector",
  "POST /:id/comments": "Commented on",
  "POST /:id/entities": "Created an entity",
  "POST /:id/deployments": "Deployed a connector on platform",
  "POST /platforms": "Created platform",
  "POST /organizations": "Created organization",
  "POST /catalogue": "Added to the catalogue",
  "DELETE /catalogue": "Removed from the catalogue",
  "POST /invitations": "Invited",
  "DELETE /invitations/:id": "Withdrew the invitation of",
  "PUT /members/:id": "Changed the role of",
  "DELETE /members/:id": "Removed member",
  "POST /sign_in_links": "Made a sign-in link",
  "POST /uploads": "Began to upload a file",
  "PUT /uploads/:id": "Uploaded a part of a file",
  "POST /dead_letters/retry": "Sent dead letters again",
  "POST /dead_letters/discard": "Discarded dead letters",
  "POST /ingestion/rejected/retry": "Tried refused records again",
  "POST /rebuild": "Rebuilt the question engine",
  "POST /keys": "Made a new signing key",
};

const VERBS: Record<string, string> = { POST: "Changed", PUT: "Changed", DELETE: "Removed" };

/** What happened, as a sentence without the person. @example "Changed user segment Buyers" */
export function auditSentence({ action, object_type, object_id, label }: AuditEntry): string {
  const [method = "", path = ""] = action.replace("/api/v1", "").split(" ");
  const name = label ?? object_id ?? "";
  const known = SENTENCES[`${method} ${path}`];
  if (known) return joined(known, name);
  if (path === "/:id") return joined(VERBS[method] ?? method, NOUNS[object_type ?? ""] ?? "object", name);
  const [, kind, what] = /^\/(import|extract)\/(\w+)$/.exec(path) ?? [];
  if (kind) return `${kind === "import" ? "Imported" : "Extracted"} ${(what ?? "").replaceAll("_", " ")}`;
  const words = path
    .replaceAll(/:\w+|\*/g, "")
    .replaceAll(/[/_]+/g, " ")
    .trim();
  return joined(VERBS[method] ?? method, words, name);
}

function joined(...words: string[]): string {
  return words.filter((word) => word !== "").join(" ");
}
