import { Button, Group, Stack, Text, Tooltip } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import type { WriteKey } from "@muster/protocol/api/write-keys";
import { PlusIcon } from "@primer/octicons-react";
import { useState } from "react";
import { useWriteKeyChanges, useWriteKeys } from "../../../api/connectors/use-write-keys.js";
import { useMay } from "../../../api/session/use-organization.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { PageSkeleton } from "../../../ui/page/skeleton.js";
import { KeyDialog } from "./key-dialog.js";
import { KeyRow } from "./key-row.js";
import classes from "./keys.module.css";

interface Asked {
  what: "edit" | "roll" | "delete";
  key: WriteKey;
  /** How many times something was asked. A form that is opened again does not have what was typed and not saved. */
  count: number;
}

/** The keys with which websites, apps and servers send data in the name of a connector. */
export function KeysTab({ connector }: { connector: Connector }) {
  const isOwner = useMay("owner");
  const { data: keys, error, refetch } = useWriteKeys(connector.id);
  const { roll, remove } = useWriteKeyChanges(connector.id);
  const [created, setCreated] = useState<WriteKey["kind"]>();
  // What a closing dialog is about stays until the next one opens, so that its words do not change while it fades.
  const [asked, setAsked] = useState<Asked>();
  const [isAsking, setAsking] = useState(false);
  const ask = (what: Asked["what"], writeKey: WriteKey) => {
    setAsked((before) => ({ what, key: writeKey, count: (before?.count ?? 0) + 1 }));
    setAsking(true);
  };
  const close = () => setAsking(false);
  const key = asked?.key;
  return (
    <Stack className={classes.tab}>
      <Group justify="space-between" align="flex-start">
        <Text className={classes.lead}>
          With a write key, a website, an app or a server sends users and events to this connector: with one line of
          curl, or with a public analytics SDK. A write key can only write; nobody can read your data with it.
        </Text>
        <Group gap="xs">
          <CreateButton kind="page" mayChange={isOwner} onClick={() => setCreated("page")} />
          <CreateButton kind="server" mayChange={isOwner} onClick={() => setCreated("server")} />
        </Group>
      </Group>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {keys?.length === 0 ? (
        <EmptyState title="No write keys">Only a connector with its secret can send data now.</EmptyState>
      ) : null}
      {keys ? (
        <ul className={classes.list} aria-label="Write keys">
          {keys.map((each) => (
            <KeyRow key={each.id} writeKey={each} mayChange={isOwner} onAsk={(what) => ask(what, each)} />
          ))}
        </ul>
      ) : error ? null : (
        <PageSkeleton />
      )}
      <KeyDialog
        key={created ?? "none"}
        connectorId={connector.id}
        kind={created ?? "server"}
        opened={created !== undefined}
        onClose={() => setCreated(undefined)}
      />
      {key ? (
        <>
          <KeyDialog
            key={asked.count}
            connectorId={connector.id}
            kind={key.kind}
            edited={key}
            opened={isAsking && asked.what === "edit"}
            onClose={close}
          />
          <ConfirmDialog
            opened={isAsking && asked.what === "roll"}
            onClose={close}
            title={`Replace ${key.name}`}
            action="Replace key"
            onConfirm={async () => {
              await roll(key.id);
              notifyDone(`${key.name} is replaced`);
            }}
          >
            You get a new text for this key. The old text stops working at once: what still uses it is refused and its
            data is lost, until you have put the new text there.
          </ConfirmDialog>
          <ConfirmDialog
            opened={isAsking && asked.what === "delete"}
            onClose={close}
            title={`Delete ${key.name}`}
            action="Delete key"
            onConfirm={async () => {
              await remove(key.id);
              notifyDone(`${key.name} is deleted`);
            }}
          >
            The key stops working at once, and what still uses it is refused. Users and events that came with it stay.
            It cannot be undone: a new key has another text.
          </ConfirmDialog>
        </>
      ) : null}
    </Stack>
  );
}

function CreateButton({
  kind,
  mayChange,
  onClick,
}: {
  kind: WriteKey["kind"];
  mayChange: boolean;
  onClick: () => void;
}) {
  return (
    <Tooltip label="Only owners can create keys." disabled={mayChange}>
      <Button variant="default" leftSection={<PlusIcon size={14} />} disabled={!mayChange} onClick={onClick}>
        {kind === "page" ? "Create page key" : "Create server key"}
      </Button>
    </Tooltip>
  );
}
