import { Button, Group, Switch, Textarea, TextInput } from "@mantine/core";
import type { EventPlan, PlannedProperty } from "@muster/protocol/api/events";
import { useState } from "react";
import { useEventProperties, useSaveEventPlan } from "../../../api/audience/use-event-names.js";
import { useMay } from "../../../api/session/use-organization.js";
import { SaveForm } from "../../../ui/form/save-form.js";
import { notifyWhenDone } from "../../../ui/notes/notify-done.js";
import { PlannedProperties, typeSeen } from "./planned-properties.js";

/** Describes a name of events, and says which properties its events have. */
export function PlanForm({ plan }: { plan: EventPlan }) {
  const [description, setDescription] = useState(plan.description);
  const [owner, setOwner] = useState(plan.owner);
  const [isHidden, setHidden] = useState(plan.hidden);
  const [properties, setProperties] = useState<readonly PlannedProperty[] | null>(plan.properties);
  const [refuses, setRefuses] = useState(plan.refuse);
  const seen = useEventProperties(plan.event).data?.properties ?? [];
  const saving = useSaveEventPlan();
  const mayEdit = useMay("editor");
  const save = () => {
    const named = properties
      ?.filter(({ name }) => name.trim() !== "")
      .map((one) => ({ ...one, name: one.name.trim() }));
    const saved = saving.mutateAsync({
      event: plan.event,
      description,
      owner,
      hidden: isHidden,
      properties: named ?? null,
      refuse: refuses && properties !== null,
    });
    notifyWhenDone(saved, "The plan is saved");
  };
  return (
    <SaveForm saveLabel="Save the plan" onSave={save} saving={saving} isDisabled={!mayEdit} gap="sm">
      <Textarea
        label="Description"
        description="What the event means, and when it is sent."
        autosize
        minRows={2}
        maxLength={2_000}
        value={description}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
      />
      <TextInput
        label="Owner"
        description="Who answers questions about it."
        maxLength={200}
        value={owner}
        onChange={({ currentTarget }) => setOwner(currentTarget.value)}
      />
      {properties === null ? (
        <Group>
          <Button
            variant="default"
            onClick={() =>
              setProperties(
                seen
                  .filter(({ name }) => !name.includes("."))
                  .map(({ name, types }) => ({ name, type: typeSeen(types), required: false, description: "" })),
              )
            }
          >
            Plan its properties
          </Button>
        </Group>
      ) : (
        <>
          <PlannedProperties properties={properties} onChange={setProperties} />
          <Switch
            label="Refuse events that do not follow the plan"
            description="They are listed under Refused with the reason. Otherwise they are stored and counted."
            checked={refuses}
            onChange={({ currentTarget }) => setRefuses(currentTarget.checked)}
          />
        </>
      )}
      <Switch
        label="Hide the name in lists"
        description="Its events stay, and segments that ask for it work."
        checked={isHidden}
        onChange={({ currentTarget }) => setHidden(currentTarget.checked)}
      />
    </SaveForm>
  );
}
