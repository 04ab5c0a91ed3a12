import { Button, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { asObject } from "../../ui/code/json-parts.js";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";
import classes from "../list.module.css";
import { RowActions } from "../row-actions.js";

type Pair = [key: string, value: string];

/** An object with free keys: a name and a text in each row. */
export function PairsControl({ value, onChange, label, errors, isDisabled }: ControlProps) {
  // Rows without a name are no part of the value yet, and an object has no order to keep.
  const [draft, setDraft] = useState<Pair[]>();
  const stored = Object.entries(asObject(value) ?? {}).map(([key, text]): Pair => [key, String(text)]);
  const pairs = draft && isSame(draft, stored) ? draft : stored;
  const change = (changed: Pair[]) => {
    setDraft(changed);
    onChange(Object.fromEntries(changed.filter(([key]) => key !== "")));
  };
  const replace = (index: number, pair: Pair) => change(pairs.map((one, at) => (at === index ? pair : one)));
  const own = errorSentence(errors);
  return (
    <Stack gap="xs">
      <div>
        {pairs.map(([key, text], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name of a row changes while somebody types it
          <div key={index} className={classes.row}>
            <div className={classes.cells} data-columns={2}>
              <TextInput
                aria-label={`${label}, row ${index + 1}: name`}
                placeholder="Name"
                value={key}
                disabled={isDisabled}
                onChange={({ currentTarget }) => replace(index, [currentTarget.value, text])}
              />
              <TextInput
                aria-label={`${label}, row ${index + 1}: value`}
                placeholder="Value"
                value={text}
                disabled={isDisabled}
                onChange={({ currentTarget }) => replace(index, [key, currentTarget.value])}
              />
            </div>
            <RowActions
              name={`row ${index + 1} of ${label}`}
              index={0}
              count={1}
              isDisabled={isDisabled}
              onMove={() => undefined}
              onRemove={() => change(pairs.filter((_pair, at) => at !== index))}
            />
          </div>
        ))}
      </div>
      {own}
      <div>
        <Button
          variant="default"
          disabled={isDisabled}
          aria-label={`Add row to ${label}`}
          onClick={() => setDraft([...pairs, ["", ""]])}
        >
          Add row
        </Button>
      </div>
    </Stack>
  );
}

/** Whether the rows stand for the stored object; otherwise somebody else has changed it. */
function isSame(draft: readonly Pair[], stored: readonly Pair[]): boolean {
  const named = Object.fromEntries(draft.filter(([key]) => key !== ""));
  return JSON.stringify(Object.entries(named)) === JSON.stringify(stored);
}
