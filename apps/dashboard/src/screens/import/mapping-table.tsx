import { Select, Table, Text, TextInput } from "@mantine/core";
import type { AttributeType } from "@muster/protocol/api/choices";
import { EVENT_COLUMNS, IDENTIFIER_COLUMNS } from "@muster/protocol/api/file-fields";
import type { ImportColumn, InspectedColumn } from "@muster/protocol/api/imports";
import type { JobObject } from "@muster/protocol/api/jobs";
import { TYPE_NAMES } from "../../filters/type-names.js";
import { fieldName } from "../../ui/text/words.js";
import { type ColumnChoice, rolesOf } from "./column-mapping.js";
import classes from "./mapping-table.module.css";

interface MappingTableProps {
  object: JobObject;
  columns: readonly InspectedColumn[];
  choices: readonly ColumnChoice[];
  onChange: (choices: ColumnChoice[]) => void;
}

const TYPES = Object.entries(TYPE_NAMES).map(([value, label]) => ({ value, label }));

/** What becomes of each column of a file, with samples of its values. */
export function MappingTable({ object, columns, choices, onChange }: MappingTableProps) {
  const change = (index: number, part: Partial<ColumnChoice>) =>
    onChange(choices.map((choice, at) => (at === index ? { ...choice, ...part } : choice)));
  return (
    <Table.ScrollContainer minWidth={600} type="native">
      <Table verticalSpacing={4} className={classes.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Column</Table.Th>
            <Table.Th visibleFrom="sm">Values</Table.Th>
            <Table.Th>Becomes</Table.Th>
            <Table.Th>Name</Table.Th>
            <Table.Th>Type</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {columns.map((column, index) => {
            const choice = choices[index];
            return choice ? (
              <MappingRow
                key={column.column}
                object={object}
                column={column}
                choice={choice}
                onChange={(part) => change(index, part)}
              />
            ) : null;
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface MappingRowProps {
  object: JobObject;
  column: InspectedColumn;
  choice: ColumnChoice;
  onChange: (part: Partial<ColumnChoice>) => void;
}

function MappingRow({ object, column, choice, onChange }: MappingRowProps) {
  const { to, name, type } = choice;
  const isTyped = to === "attribute" || to === "property";
  const fixed = to === "identifier" ? IDENTIFIER_COLUMNS[object] : to === "field" ? EVENT_COLUMNS : undefined;
  const changeRole = (role: ImportColumn["to"]) => {
    const names = role === "identifier" ? IDENTIFIER_COLUMNS[object] : role === "field" ? EVENT_COLUMNS : undefined;
    onChange({ to: role, ...(names && !names.includes(name) ? { name: names[0] ?? "" } : {}) });
  };
  // The sentence is about the suggested name and type.
  const isAsSuggested =
    to === column.suggestion.to && name === column.suggestion.name && type === column.suggestion.type;
  return (
    <>
      <Table.Tr data-ignored={to === "ignore" || undefined} className={classes.row}>
        <Table.Td fw={600}>{column.column}</Table.Td>
        <Table.Td visibleFrom="sm" className={classes.samples} title={column.samples.join("\n")}>
          {column.samples.join(", ") || "no values"}
        </Table.Td>
        <Table.Td>
          <Select
            aria-label={`${column.column} becomes`}
            data={rolesOf(object)}
            value={to}
            allowDeselect={false}
            onChange={(value) => value && changeRole(value as ImportColumn["to"])}
            w={160}
          />
        </Table.Td>
        <Table.Td>
          {to === "ignore" ? null : fixed ? (
            <Select
              aria-label={`Name of ${column.column}`}
              data={fixed.map((value) => ({ value, label: fieldName(value) }))}
              value={name}
              allowDeselect={false}
              onChange={(value) => value && onChange({ name: value })}
              w={180}
            />
          ) : (
            <TextInput
              aria-label={`Name of ${column.column}`}
              value={name}
              onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
              w={180}
            />
          )}
        </Table.Td>
        <Table.Td>
          {isTyped ? (
            <Select
              aria-label={`Type of ${column.column}`}
              data={TYPES}
              value={type}
              allowDeselect={false}
              disabled={column.known_type !== undefined && isAsSuggested}
              onChange={(value) => value && onChange({ type: value as AttributeType })}
              w={120}
            />
          ) : null}
        </Table.Td>
      </Table.Tr>
      {column.conflict && isAsSuggested ? (
        <Table.Tr className={classes.conflict}>
          <Table.Td visibleFrom="sm" />
          <Table.Td colSpan={4}>
            <Text c="var(--late)">{column.conflict}</Text>
          </Table.Td>
        </Table.Tr>
      ) : null}
    </>
  );
}
