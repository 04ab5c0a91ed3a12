import { Button, Group, NavLink, Select, Text } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import { useState } from "react";
import {
  type Mapping,
  useMappingForm,
  useMappings,
  usePayloads,
  useSaveMappings,
} from "../../../api/connectors/use-mappings.js";
import { useMay } from "../../../api/session/use-organization.js";
import { notifyDone, notifyFailed } from "../../../ui/notes/notify-done.js";
import { UnsavedGuard } from "../../../ui/notes/unsaved-guard.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { PageSkeleton } from "../../../ui/page/skeleton.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import classes from "../processor/processor.module.css";
import { SubjectPicker } from "../subject-picker.js";
import { MappingForm } from "./mapping-form.js";
import { PayloadPane } from "./payload-pane.js";

const INSIDE = ["mapping", "subject"];

/** The mappings of a destination on the left, the chosen one in the middle, and what it would send about a real user on the right. */
export function MappingTab({ connector }: { connector: Connector }) {
  const isOwner = useMay("owner");
  const stored = useMappings(connector.id);
  const form = useMappingForm(connector.id);
  const save = useSaveMappings(connector.id);
  const [draft, setDraft] = useState<Mapping[]>();
  const [chosenId, setChosenId] = useUrlState("mapping");
  const [user, setUser] = useUrlState("subject");
  const saved = stored.data?.mappings;
  const mappings = draft ?? saved ?? [];
  const chosen = mappings.find(({ id }) => id === chosenId) ?? mappings[0];
  const actions = form.data?.actions ?? [];
  const payloads = usePayloads(connector.id, chosen, user);
  const events = payloads.data?.events ?? [];
  const properties = [...new Set(events.flatMap(({ properties: of }) => Object.keys(of ?? {})))].sort();
  // Whoever saves replaces all mappings, so nothing is edited before the stored ones are here.
  if (!stored.data) {
    return stored.error ? (
      <ErrorNote error={stored.error} onRetry={() => void stored.refetch()} />
    ) : (
      <PageSkeleton lines={6} />
    );
  }
  if (saved === undefined) {
    return (
      <Text c="dimmed">Only owners see and change mappings: they are private settings, and may hold secrets.</Text>
    );
  }
  const change = (next: Mapping) => setDraft(mappings.map((each) => (each.id === next.id ? next : each)));
  const add = (key: string | null) => {
    const action = actions.find((each) => each.key === key);
    if (!action) return;
    const id = `mapping-${crypto.randomUUID().slice(0, 8)}`;
    setDraft([
      ...mappings,
      {
        id,
        name: action.title,
        action: action.key,
        enabled: true,
        trigger: action.trigger,
        fields: action.startingFields,
      },
    ]);
    setChosenId(id);
  };
  const store = () =>
    save.mutate(mappings, {
      onSuccess: () => {
        setDraft(undefined);
        notifyDone("Mappings saved");
      },
      onError: notifyFailed,
    });
  return (
    <div className={classes.panes}>
      <UnsavedGuard hasChanges={draft !== undefined} inside={INSIDE} />
      <nav className={classes.pane} aria-label="Mappings">
        {stored.error ? <ErrorNote error={stored.error} onRetry={() => void stored.refetch()} /> : null}
        {form.error ? <ErrorNote error={form.error} onRetry={() => void form.refetch()} /> : null}
        <div>
          {mappings.map(({ id, name, enabled, trigger }) => (
            <NavLink
              key={id}
              component="button"
              active={id === chosen?.id}
              label={name}
              description={enabled ? trigger : "Switched off"}
              onClick={() => setChosenId(id)}
            />
          ))}
        </div>
        <Select
          label="Add a mapping"
          placeholder="Choose an action"
          data={actions.map(({ key, title }) => ({ value: key, label: title }))}
          value={null}
          onChange={add}
          disabled={!isOwner}
          searchable
        />
      </nav>
      <section className={classes.pane} aria-label="Mapping">
        <Group justify="flex-end" gap="xs">
          <Text c="dimmed" role="status">
            {draft ? "Not saved" : "Saved"}
          </Text>
          {draft ? (
            <Button variant="default" onClick={() => setDraft(undefined)}>
              Drop draft
            </Button>
          ) : null}
          {chosen ? (
            <Button
              variant="default"
              disabled={!isOwner}
              onClick={() => setDraft(mappings.filter(({ id }) => id !== chosen.id))}
            >
              Remove
            </Button>
          ) : null}
          <Button disabled={!isOwner || !draft} loading={save.isPending} onClick={store}>
            Save mappings
          </Button>
        </Group>
        {chosen ? (
          <MappingForm
            key={chosen.id}
            connectorId={connector.id}
            mapping={chosen}
            action={actions.find(({ key }) => key === chosen.action)}
            properties={properties}
            isDisabled={!isOwner}
            onChange={change}
          />
        ) : (
          <Text c="dimmed">There are no mappings: nothing is sent.</Text>
        )}
      </section>
      <section className={classes.pane} aria-label="Payload">
        <SubjectPicker
          entity="user"
          value={user}
          onChange={(id) => setUser(id === "" ? undefined : id)}
          label="About this user"
          placeholder="Name, e-mail or ID"
        />
        {chosen ? <PayloadPane connector={connector} mapping={chosen} user={user} isSaved={!draft} /> : null}
      </section>
    </div>
  );
}
