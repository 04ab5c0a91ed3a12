import { Stack, Text, TextInput, Title } from "@mantine/core";
import { typeOfId } from "@muster/protocol";
import type { AttributeState } from "@muster/protocol/api/history";
import { useReportFields } from "../../../api/audience/use-report-fields.js";
import { useSubjectAttributes } from "../../../api/audience/use-subject.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { useTyped } from "../../../ui/state/use-typed.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { usePanel } from "../use-panel.js";
import { AttributeRow } from "./attribute-row.js";
import { groupAttributes } from "./group-attributes.js";

/** The attributes by group, with a filter. A click on one opens its history. */
export function AttributeList({ id }: { id: string }) {
  const [filter, setFilter] = useUrlState("q", "", { replace: true });
  const [panel, openPanel] = usePanel();
  const typed = useTyped(filter);
  const attributes = useSubjectAttributes(id);
  const { data: fields = [] } = useReportFields(typeOfId(id) === "account" ? "account" : "user");
  if (attributes.isError && !attributes.data) {
    return <ErrorNote error={attributes.error} onRetry={() => void attributes.refetch()} />;
  }
  const labelOf = ({ key }: AttributeState) => fields.find((field) => field.key === key)?.label ?? "";
  const groups = groupAttributes(attributes.data ?? [], typed, labelOf);
  return (
    <Stack gap="sm">
      <TextInput
        aria-label="Filter attributes"
        placeholder="Filter attributes by name or value"
        value={filter}
        onChange={({ currentTarget }) => setFilter(currentTarget.value)}
      />
      {attributes.data && groups.length === 0 ? (
        <Text c="dimmed">{typed === "" ? "No attribute has a value." : `No attribute or value has “${typed}”.`}</Text>
      ) : null}
      {groups.map(({ name, attributes: members }) => (
        <div key={name}>
          <Title order={2} size="h3" c="dimmed" mb={2}>
            {name}
          </Title>
          {members.map((attribute) => (
            <AttributeRow
              key={attribute.name}
              attribute={attribute}
              label={labelOf(attribute)}
              isOpen={panel?.kind === "attribute" && panel.about === attribute.name}
              onOpen={() => openPanel({ kind: "attribute", about: attribute.name })}
            />
          ))}
        </div>
      ))}
    </Stack>
  );
}
