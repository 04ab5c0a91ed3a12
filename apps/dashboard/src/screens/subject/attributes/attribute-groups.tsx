import { Text, Title } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeState } from "@muster/protocol/api/history";
import { useReportFields } from "../../../api/audience/use-report-fields.js";
import { usePanel } from "../use-panel.js";
import { AttributeRow } from "./attribute-row.js";
import { groupAttributes } from "./group-attributes.js";

interface AttributeGroupsProps {
  attributes: readonly AttributeState[];
  type: SubjectType;
  filter: string;
}

/** The attributes that fit a filter, by group. A click on one opens its history. */
export function AttributeGroups({ attributes, type, filter }: AttributeGroupsProps) {
  const [panel, openPanel] = usePanel();
  const { data: fields = [] } = useReportFields(type);
  const labelOf = ({ key }: AttributeState) => fields.find((field) => field.key === key)?.label ?? "";
  const groups = groupAttributes(attributes, filter, labelOf);
  if (groups.length === 0) {
    return (
      <Text c="dimmed">{filter === "" ? "No attribute has a value." : `No attribute or value has “${filter}”.`}</Text>
    );
  }
  return groups.map(({ name, attributes: members }) => (
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
  ));
}
