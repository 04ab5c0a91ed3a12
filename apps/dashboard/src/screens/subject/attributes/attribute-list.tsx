import { Button, Group, Stack, TextInput } from "@mantine/core";
import { createdAtOfId, typeOfId } from "@muster/protocol/api/object-ids";
import { useState } from "react";
import { useSubjectAttributes } from "../../../api/audience/use-subject.js";
import { MomentField } from "../../../ui/form/moment-field.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { useTyped } from "../../../ui/state/use-typed.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { AttributeGroups } from "./attribute-groups.js";
import { PastAttributes } from "./past-attributes.js";

/** The attributes by group, with a filter: as they are, or as they were at a moment. */
export function AttributeList({ id }: { id: string }) {
  const [filter, setFilter] = useUrlState("q", "", { replace: true });
  const [at, setAt] = useUrlState("at");
  const [isLookingBack, setLookingBack] = useState(at !== "");
  const typed = useTyped(filter);
  const attributes = useSubjectAttributes(id);
  const type = typeOfId(id) === "account" ? "account" : "user";
  if (attributes.isError && !attributes.data) {
    return <ErrorNote error={attributes.error} onRetry={() => void attributes.refetch()} />;
  }
  return (
    <Stack gap="sm">
      <Group gap="sm" wrap="nowrap">
        <TextInput
          style={{ flex: 1 }}
          aria-label="Filter attributes"
          placeholder="Filter attributes by name or value"
          value={filter}
          onChange={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <Button
          variant="default"
          aria-expanded={isLookingBack}
          onClick={() => {
            setLookingBack(!isLookingBack);
            setAt(undefined);
          }}
        >
          Look back
        </Button>
      </Group>
      {isLookingBack ? (
        <MomentField label="What was known at" value={at} onChange={setAt} from={createdAtOfId(id).getTime()} />
      ) : null}
      {at === "" ? (
        attributes.data ? (
          <AttributeGroups attributes={attributes.data} type={type} filter={typed} />
        ) : null
      ) : (
        <PastAttributes type={type} id={id} at={at} filter={typed} />
      )}
    </Stack>
  );
}
