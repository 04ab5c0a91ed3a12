import { Autocomplete, TagsInput, Textarea } from "@mantine/core";
import type { Segment } from "@muster/protocol/api/segments";
import { useState } from "react";
import { useSegmentChanges, useSegments } from "../../api/audience/use-segments.js";
import { SaveForm } from "../../ui/form/save-form.js";
import { Dialog } from "../../ui/notes/dialog.js";
import { notifyDone } from "../../ui/notes/notify-done.js";

interface NotesDialogProps {
  segment: Segment;
  onClose: () => void;
}

/** The description, the tags and the folder of a segment. They are no part of its filter, so they are saved alone. */
export default function NotesDialog({ segment, onClose }: NotesDialogProps) {
  const { id, description, tags, folder } = segment;
  const [notes, setNotes] = useState({ description, tags, folder });
  const { data: segments = [] } = useSegments({ isLive: false });
  const { update } = useSegmentChanges();
  const save = async () => {
    await update.mutateAsync({ id, ...notes });
    notifyDone("Details saved.", () => update.mutateAsync({ id, description, tags, folder }));
    onClose();
  };
  const known = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text !== "").sort();
  return (
    <Dialog opened onClose={onClose} title="Details of the segment">
      <SaveForm
        saveLabel="Save details"
        // The form shows why it was refused.
        onSave={() => void save().catch(() => undefined)}
        saving={update}
        onCancel={onClose}
      >
        <Textarea
          label="Description"
          value={notes.description}
          maxLength={2_000}
          autosize
          minRows={2}
          onChange={({ currentTarget }) => setNotes({ ...notes, description: currentTarget.value })}
          data-autofocus
        />
        <TagsInput
          label="Tags"
          value={[...notes.tags]}
          maxTags={20}
          acceptValueOnBlur
          data={known(segments.flatMap((one) => one.tags))}
          onChange={(next) => setNotes({ ...notes, tags: next })}
        />
        <Autocomplete
          label="Folder"
          value={notes.folder}
          maxLength={100}
          data={known(segments.map((one) => one.folder))}
          onChange={(next) => setNotes({ ...notes, folder: next })}
        />
      </SaveForm>
    </Dialog>
  );
}
