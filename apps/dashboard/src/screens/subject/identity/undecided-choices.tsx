import { Checkbox, Stack, Text, Title } from "@mantine/core";
import type { UnmergeChoices, UnmergePreview } from "@muster/protocol/api/merges";
import { formatCount } from "../../../ui/text/format.js";
import { IDENTIFIER_NAMES } from "../../../ui/text/identifier-names.js";
import { showValue } from "../../../ui/text/show-value.js";

interface UndecidedChoicesProps {
  undecided: UnmergePreview["undecided"];
  choices: UnmergeChoices;
  onChange: (choices: UnmergeChoices) => void;
}

/** What nobody can decide: each thing stays unless it is ticked. */
export function UndecidedChoices({ undecided, choices, onChange }: UndecidedChoicesProps) {
  const { attributes, identifiers, account, events } = undecided;
  if (attributes.length + identifiers.length + events === 0 && !account) return null;
  const chosen = choices.attributes ?? [];
  const taken = choices.identifiers ?? [];
  return (
    <Stack gap={6} component="section" aria-label="What nobody can decide">
      <Title order={3}>What nobody can decide</Title>
      <Text c="dimmed">
        Records have written this since the merge that name both, or the id of this one. Tick what goes to the one that
        is split off.
      </Text>
      {attributes.map(({ name, value, otherwise }) => (
        <Checkbox
          key={name}
          label={`${name}: ${showValue(value)}`}
          description={`Here it is ${showValue(otherwise)} again then.`}
          checked={chosen.includes(name)}
          onChange={({ currentTarget: { checked } }) =>
            onChange({ ...choices, attributes: checked ? [...chosen, name] : chosen.filter((other) => other !== name) })
          }
        />
      ))}
      {identifiers.map((identifier) => {
        const isSame = (other: typeof identifier) => other.kind === identifier.kind && other.value === identifier.value;
        return (
          <Checkbox
            key={`${identifier.kind} ${identifier.value}`}
            label={`${IDENTIFIER_NAMES[identifier.kind] ?? identifier.kind} ${identifier.value}`}
            checked={taken.some(isSame)}
            onChange={({ currentTarget: { checked } }) =>
              onChange({
                ...choices,
                identifiers: checked ? [...taken, identifier] : taken.filter((other) => !isSame(other)),
              })
            }
          />
        );
      })}
      {account ? (
        <Checkbox
          label="The link to the account"
          checked={choices.account === true}
          onChange={({ currentTarget }) => onChange({ ...choices, account: currentTarget.checked })}
        />
      ) : null}
      {events > 0 ? (
        <Checkbox
          label={formatCount(events, "event")}
          checked={choices.events === true}
          onChange={({ currentTarget }) => onChange({ ...choices, events: currentTarget.checked })}
        />
      ) : null}
    </Stack>
  );
}
