import { Button, Group, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type ComponentProps, useMemo, useState } from "react";
import { sentenceOf } from "../api/api-error.js";
import { type UnsavedSettings, useOfferedOptions } from "../api/connectors/use-connector-endpoints.js";
import { ChoiceInput } from "./choice-input.js";
import { useFormContext } from "./form-context.js";
import type { Choice } from "./read-setting.js";

const SEARCH_AFTER_MS = 80;

interface OfferedChoicesProps extends Omit<ComponentProps<typeof ChoiceInput>, "choices" | "onSearch" | "onOpen"> {
  /** Where the connector offers its options. */
  path: string;
  /** Choices that come before those of the connector. */
  own: readonly Choice[];
}

/** A choice among the options that the connector offers now, for what is in the form. Failures are told in place. */
export function OfferedChoices({ path, own, ...props }: OfferedChoicesProps) {
  const { connectorId, unsaved } = useFormContext();
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed, SEARCH_AFTER_MS);
  // What is in the form when somebody opens the list. Before that the stored values are enough: they give the labels.
  const [others, setOthers] = useState<UnsavedSettings>({});
  // The whole list first: its labels are needed for what is chosen, and most connectors do not search.
  // While the setting cannot be changed, the connector is not asked: before its setup it could only fail.
  const asked = props.isDisabled ? undefined : path;
  const all = useOfferedOptions(connectorId, asked, { search: "", unsaved: others });
  const found = useOfferedOptions(connectorId, search === "" ? undefined : asked, { search, unsaved: others });
  const choices = useMemo(() => {
    const offered = [...(found.data ?? []), ...(all.data ?? [])];
    return [...own, ...offered.map(({ group, ...option }) => ({ ...option, group: group ?? undefined }))];
  }, [own, found.data, all.data]);
  return (
    <>
      <ChoiceInput
        {...props}
        choices={choices}
        onSearch={setTyped}
        onOpen={() => setOthers(unsaved)}
        nothingFound={all.isFetching || found.isFetching ? "Asking the connector…" : "The connector offers nothing"}
      />
      {all.isError ? (
        <Group gap="xs" role="alert">
          <Text size="xs" c="var(--bad)">
            {sentenceOf(all.error)}
          </Text>
          <Button variant="subtle" size="compact-xs" onClick={() => void all.refetch()}>
            Try again
          </Button>
        </Group>
      ) : null}
    </>
  );
}
