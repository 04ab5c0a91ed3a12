import type { Segment } from "@muster/protocol/api/segments";
import { Suspense } from "react";
import { sizeOf, subjectTypeOf } from "../../api/audience/use-segments.js";
import { lazyPart } from "../../ui/state/lazy-part.js";

/** What is done with the members of a segment, or with the segment. */
export type MemberDialog = "export" | "send" | "notes" | "delete";

// They are needed when somebody opens one of them.
const ExportDialog = lazyPart(() => import("../../jobs/export-dialog.js"), "ExportDialog");
const SendDialog = lazyPart(() => import("../../jobs/send-dialog.js"), "SendDialog");
const NotesDialog = lazyPart(() => import("./notes-dialog.js"), "default");
const DeleteDialog = lazyPart(() => import("./delete-dialog.js"), "DeleteDialog");

const FIELDS = {
  user: [
    { key: "name", name: "Name" },
    { key: "email", name: "E-mail" },
    { key: "external_id", name: "External ID" },
    { key: "created_at", name: "Created at" },
    { key: "last_seen_at", name: "Last seen at" },
  ],
  account: [
    { key: "name", name: "Name" },
    { key: "domain", name: "Domain" },
    { key: "external_id", name: "External ID" },
    { key: "created_at", name: "Created at" },
  ],
};

interface MemberDialogsProps {
  segment: Segment;
  opened: MemberDialog | undefined;
  onClose: () => void;
}

/** The dialogs of a segment that are opened from its menu. */
export function MemberDialogs({ segment, opened, onClose }: MemberDialogsProps) {
  const target = subjectTypeOf(segment);
  const selection = { target, query: { term: { segment_ids: segment.id } }, count: sizeOf(segment) };
  if (opened === undefined) return null;
  return (
    <Suspense>
      {opened === "export" ? (
        <ExportDialog selection={selection} fields={FIELDS[target]} opened onClose={onClose} />
      ) : opened === "send" ? (
        <SendDialog selection={selection} opened onClose={onClose} />
      ) : opened === "delete" ? (
        <DeleteDialog segment={segment} onClose={onClose} />
      ) : (
        <NotesDialog segment={segment} onClose={onClose} />
      )}
    </Suspense>
  );
}
