import { ActionIcon, Button, Checkbox, Group, Popover, ScrollArea, Stack, Text, TextInput } from "@mantine/core";
import { ChevronDownIcon, ChevronUpIcon, ColumnsIcon } from "@primer/octicons-react";
import { useState } from "react";
import type { ReportField } from "../../api/audience/use-report-fields.js";
import { attributeName, labelOf } from "../../ui/text/words.js";
import type { ListColumn } from "./usual-list.js";

interface ColumnsMenuProps {
  fields: readonly ReportField[];
  columns: readonly ListColumn[];
  onChange: (columns: readonly ListColumn[]) => void;
  onReset: () => void;
}

/** Which fields the list shows, and in which order. */
export function ColumnsMenu({ fields, columns, onChange, onReset }: ColumnsMenuProps) {
  const [words, setWords] = useState("");
  const shown = new Set(columns.map(({ key }) => key));
  const nameOf = (key: string) => labelOf(key, fields);
  const isFound = (key: string) => `${nameOf(key)} ${key}`.toLowerCase().includes(words.trim().toLowerCase());
  // What the organization has defined itself is wanted most.
  const others = fields
    .filter(({ key }) => !shown.has(key) && isFound(key))
    .sort((one, other) => rankOf(one) - rankOf(other));
  const move = (from: number, to: number) => {
    const next = [...columns];
    next.splice(to, 0, ...next.splice(from, 1));
    onChange(next);
  };
  return (
    <Popover position="bottom-end" trapFocus withinPortal transitionProps={{ duration: 0 }}>
      <Popover.Target>
        <Button variant="default" leftSection={<ColumnsIcon size={14} />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs" w={300} aria-label="Columns">
        <Stack gap="xs">
          <TextInput
            aria-label="Find a field"
            placeholder="Find a field"
            value={words}
            onChange={({ currentTarget }) => setWords(currentTarget.value)}
          />
          <ScrollArea.Autosize mah={360} type="auto" offsetScrollbars>
            <Stack gap={5}>
              {columns.map(({ key }, index) =>
                isFound(key) ? (
                  <Group key={key} gap={2} wrap="nowrap" justify="space-between">
                    <Checkbox
                      label={<span title={attributeName(key)}>{nameOf(key)}</span>}
                      checked
                      disabled={columns.length === 1}
                      onChange={() => onChange(columns.filter((column) => column.key !== key))}
                    />
                    <Group gap={0} wrap="nowrap">
                      <ActionIcon
                        aria-label={`Move ${nameOf(key)} to the left`}
                        disabled={index === 0}
                        onClick={() => move(index, index - 1)}
                      >
                        <ChevronUpIcon size={14} />
                      </ActionIcon>
                      <ActionIcon
                        aria-label={`Move ${nameOf(key)} to the right`}
                        disabled={index === columns.length - 1}
                        onClick={() => move(index, index + 1)}
                      >
                        <ChevronDownIcon size={14} />
                      </ActionIcon>
                    </Group>
                  </Group>
                ) : null,
              )}
              {others.map(({ key }) => (
                <Checkbox
                  key={key}
                  label={<span title={attributeName(key)}>{nameOf(key)}</span>}
                  checked={false}
                  onChange={() => onChange([...columns, { key }])}
                />
              ))}
              {others.length === 0 && ![...shown].some(isFound) ? (
                <Text c="dimmed">No field has this name.</Text>
              ) : null}
            </Stack>
          </ScrollArea.Autosize>
          <Button variant="subtle" onClick={onReset}>
            Show the usual columns
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function rankOf({ key, isCustom }: ReportField): number {
  if (key.startsWith("account.")) return 2;
  return isCustom ? 0 : 1;
}
