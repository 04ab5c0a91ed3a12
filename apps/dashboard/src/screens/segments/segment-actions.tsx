import { ActionIcon, Button, Menu, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { Segment, SegmentImpact } from "@muster/protocol/api/segments";
import { KebabHorizontalIcon } from "@primer/octicons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { readImpact, useSegmentChanges } from "../../api/audience/use-segments.js";
import { useMay, useOrganization } from "../../api/session/use-organization.js";
import { countUnfinished, type DraftFilter } from "../../filters/draft-filter.js";
import { NEW_SEGMENT, newDraftId, newDraftNumber, storeDraft } from "../../filters/draft-store.js";
import { impactSentence, movesSentence, needsSecondYes } from "../../filters/impact-words.js";
import { ConfirmDialog } from "../../ui/notes/confirm-dialog.js";
import { notifyDone, notifyFailed } from "../../ui/notes/notify-done.js";
import { type MemberDialog, MemberDialogs } from "./member-dialogs.js";
import { type SegmentEditing, showSaved } from "./use-segment-draft.js";

interface SegmentActionsProps {
  segment: Segment | undefined;
  /** The filter of the saved segment. */
  saved: DraftFilter;
  editing: SegmentEditing;
  subjectType: SubjectType;
}

/** Saves, duplicates and deletes a segment. Saving says what it does, and asks again when that is much. */
export function SegmentActions({ segment, saved, editing, subjectType }: SegmentActionsProps) {
  const { id: org } = useOrganization();
  const mayEdit = useMay("editor");
  const navigate = useNavigate();
  const client = useQueryClient();
  const { create, update } = useSegmentChanges();
  const [asked, setAsked] = useState<SegmentImpact>();
  const [opened, setOpened] = useState<MemberDialog>();
  const [isBusy, setBusy] = useState(false);
  const { draft, discard, body, isChanged, isFilterChanged } = editing;
  // A condition without a value would be lost without a word.
  const hindrance = !mayEdit
    ? "Only editors and owners can change segments."
    : draft.unreadText !== undefined
      ? "Correct the JSON first."
      : countUnfinished(draft.filter) > 0
        ? "Give every condition a value, or remove it."
        : draft.name.trim() === ""
          ? "Give the segment a name."
          : undefined;
  const isReady = hindrance === undefined && (segment === undefined || isChanged);

  const save = async (impact: SegmentImpact | undefined) => {
    const { query, predicate, type } = body;
    const name = draft.name.trim();
    const told = impact ? ` ${movesSentence(impact, subjectType)}` : "";
    if (!segment) {
      const created = await create.mutateAsync({ name, query, predicate, type });
      discard();
      notifyDone(`Segment created.${told}`);
      await navigate({ to: "/o/$org/segments/$id", params: { org, id: created.id } });
      return;
    }
    const { id } = segment;
    const changed = await update.mutateAsync({ id, name, ...(isFilterChanged ? { query, predicate } : {}) });
    showSaved(client, org, changed, isFilterChanged ? draft.filter : saved);
    const before = { name: segment.name, query: segment.query, predicate: segment.predicate };
    notifyDone(`Segment saved.${told}`, async () => {
      const undone = await update.mutateAsync({ id, ...before });
      showSaved(client, org, undone, saved);
    });
  };
  const begin = async () => {
    setBusy(true);
    try {
      const impact = isFilterChanged || !segment ? await readImpact(body) : undefined;
      if (impact && needsSecondYes(impact)) setAsked(impact);
      else await save(impact);
    } catch (error) {
      notifyFailed(error);
    } finally {
      setBusy(false);
    }
  };
  const duplicate = () => {
    const number = newDraftNumber();
    storeDraft(org, newDraftId(subjectType, number), { ...draft, name: `${draft.name} (copy)` });
    void navigate({
      to: "/o/$org/segments/$id",
      params: { org, id: NEW_SEGMENT },
      search: { of: subjectType, draft: number },
    });
  };
  const compare = () =>
    void navigate({
      to: "/o/$org/segments/overlap",
      params: { org },
      search: { of: subjectType, segments: segment?.id },
    });

  return (
    <>
      {isChanged ? (
        <>
          <Text c="dimmed" role="status">
            Unsaved changes
          </Text>
          <Button variant="default" onClick={discard}>
            Discard
          </Button>
        </>
      ) : null}
      <Button onClick={() => void begin()} disabled={!isReady} loading={isBusy} title={hindrance}>
        {segment ? "Save segment" : "Create segment"}
      </Button>
      {segment ? (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon color="gray" aria-label="More actions">
              <KebabHorizontalIcon size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setOpened("notes")} disabled={!mayEdit}>
              Edit details…
            </Menu.Item>
            <Menu.Item onClick={() => setOpened("export")} disabled={!mayEdit}>
              Export members…
            </Menu.Item>
            <Menu.Item onClick={() => setOpened("send")} disabled={!mayEdit}>
              Send to a connector…
            </Menu.Item>
            <Menu.Item onClick={compare}>Compare with other segments</Menu.Item>
            <Menu.Item onClick={duplicate} disabled={!mayEdit}>
              Duplicate
            </Menu.Item>
            <Menu.Item color="red" onClick={() => setOpened("delete")} disabled={!mayEdit}>
              Delete…
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      ) : null}
      <ConfirmDialog
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={segment ? "Save this segment?" : "Create this segment?"}
        action={segment ? "Yes, save segment" : "Yes, create segment"}
        isDestructive={false}
        onConfirm={() => save(asked)}
      >
        {asked ? impactSentence(asked, subjectType) : null}
      </ConfirmDialog>
      {segment ? <MemberDialogs segment={segment} opened={opened} onClose={() => setOpened(undefined)} /> : null}
    </>
  );
}
