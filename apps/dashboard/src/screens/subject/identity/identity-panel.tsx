import { Button, Code, Group, Stack, Text, Title, Tooltip } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import { useState } from "react";
import { useIdentity, useRefreshSubject } from "../../../api/audience/use-subject.js";
import { answer, api } from "../../../api/client.js";
import { useMay } from "../../../api/session/use-organization.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { CopyText } from "../../../ui/text/copy-text.js";
import { IDENTIFIER_NAMES } from "../../../ui/text/identifier-names.js";
import { MarkSwitches } from "./mark-switches.js";
import { MergeList } from "./merge-list.js";
import { NotificationSettings } from "./notification-settings.js";
import { ProbablySame } from "./probably-same.js";

interface Identifier {
  kind: string;
  value: string;
}

/** All identifiers, what was merged, and what can be undone. */
export function IdentityPanel({ type, id }: { type: SubjectType; id: string }) {
  const identity = useIdentity(id);
  const refresh = useRefreshSubject(id);
  const may = useMay("editor");
  const [removing, setRemoving] = useState<Identifier>();
  if (identity.isError) return <ErrorNote error={identity.error} onRetry={() => void identity.refetch()} />;
  if (!identity.data) return null;
  const { identifiers, probably_same: same } = identity.data;
  const all = Object.entries(identifiers).flatMap(([kind, values]) => values.map((value) => ({ kind, value })));
  const remove = async ({ kind, value }: Identifier) => {
    await answer(api.POST("/api/v1/{id}/unalias", { params: { path: { id } }, body: { [kind]: value } }));
    await refresh();
    notifyDone(`Removed the ${IDENTIFIER_NAMES[kind] ?? kind} ${value}`);
  };
  return (
    <Stack gap="lg">
      <Stack gap={6} component="section" aria-label="Identifiers">
        <Title order={3}>Identifiers</Title>
        {all.length === 0 ? <Text c="dimmed">It has no identifiers left but its id.</Text> : null}
        {all.map(({ kind, value }) => (
          <Group key={`${kind} ${value}`} justify="space-between" wrap="nowrap" align="flex-start">
            <Text component="div" style={{ overflowWrap: "anywhere" }}>
              <Text span c="dimmed" mr={6}>
                {IDENTIFIER_NAMES[kind] ?? kind}
              </Text>
              <Code>{value}</Code>
              <CopyText text={value} label={`Copy ${IDENTIFIER_NAMES[kind] ?? kind}`} />
            </Text>
            <Tooltip label={may ? "Later records with it are then about somebody else" : "Viewers cannot remove it"}>
              <Button variant="default" size="compact-xs" disabled={!may} onClick={() => setRemoving({ kind, value })}>
                Remove
              </Button>
            </Tooltip>
          </Group>
        ))}
      </Stack>
      {same.length === 0 ? null : <ProbablySame id={id} same={same} identifiers={identifiers} />}
      <MergeList type={type} id={id} />
      {type === "user" ? (
        <>
          <MarkSwitches id={id} />
          <NotificationSettings id={id} />
        </>
      ) : null}
      <ConfirmDialog
        opened={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title="Remove an identifier"
        action="Remove identifier"
        onConfirm={async () => {
          if (removing) await remove(removing);
        }}
      >
        The {type} is no longer found by the {removing ? (IDENTIFIER_NAMES[removing.kind] ?? removing.kind) : ""}{" "}
        {removing?.value}. Later records with it are about somebody else. Events and attributes that came with it stay
        here.
      </ConfirmDialog>
    </Stack>
  );
}
