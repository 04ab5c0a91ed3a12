import { Text } from "@mantine/core";
import type { JsonObject } from "@muster/protocol/api/schema";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useSegmentImpact } from "../../api/audience/use-segments.js";
import { answer, api } from "../../api/client.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { impactSentence } from "../../filters/impact-words.js";
import type { BulkSelection } from "../../jobs/bulk-selection.js";
import { NameField } from "../../ui/form/name-field.js";
import { SaveForm } from "../../ui/form/save-form.js";
import { Dialog } from "../../ui/notes/dialog.js";
import { formatCount } from "../../ui/text/format.js";

interface SaveSegmentDialogProps {
  selection: BulkSelection;
  /** The filter, when it alone selects what the list shows. The builder can then edit the segment. */
  predicate: JsonObject | undefined;
  opened: boolean;
  onClose: () => void;
}

/** Saves what the list shows as a segment, which follows the data from then on. */
export function SaveSegmentDialog({ selection, predicate, opened, onClose }: SaveSegmentDialogProps) {
  const { target, query, count } = selection;
  const { id: org } = useOrganization();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState("");
  // The address may have any filter, and the server says what is wrong with it.
  const filter = { query: predicate ? {} : query, predicate: predicate ?? {} };
  const type = target === "user" ? ("users_segment" as const) : ("accounts_segment" as const);
  const { data: impact } = useSegmentImpact({ ...filter, type }, { isEnabled: opened });
  const save = useMutation({
    mutationFn: () => {
      const path = target === "user" ? "/api/v1/users_segments" : "/api/v1/accounts_segments";
      return answer(api.POST(path, { body: { name: name.trim(), ...filter } }));
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: [org, "segments"] });
      void navigate({ to: "/o/$org/segments/$id", params: { org, id } });
    },
  });
  return (
    <Dialog opened={opened} onClose={onClose} title="Save as segment">
      <SaveForm
        saveLabel="Save segment"
        onSave={save.mutate}
        saving={save}
        isDisabled={name.trim() === ""}
        onCancel={onClose}
      >
        <NameField value={name} onChange={setName} />
        <Text c="dimmed">
          {formatCount(count, target)} match now.{impact ? ` If you save: ${impactSentence(impact, target)}` : ""} Who
          enters and leaves from then on is told to connectors that use the segment.
        </Text>
      </SaveForm>
    </Dialog>
  );
}
