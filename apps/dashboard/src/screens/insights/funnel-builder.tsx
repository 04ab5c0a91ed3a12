import { ActionIcon, Button, Group, Text } from "@mantine/core";
import type { FunnelRequest } from "@muster/protocol/api/insights";
import { ArrowDownIcon, ArrowUpIcon, PlusIcon, XIcon } from "@primer/octicons-react";
import type { FilterSchema } from "../../filters/filter-schema.js";
import { SpanInput } from "../../filters/values/span-input.js";
import { BreakdownSelect } from "./breakdown-select.js";
import { EventChoice } from "./event-choice.js";
import classes from "./insights-screen.module.css";
import { TimeRange } from "./time-fields.js";

interface FunnelBuilderProps {
  value: FunnelRequest;
  onChange: (value: FunnelRequest) => void;
  schema: FilterSchema;
}

const MAX_STEPS = 10;

/** The steps of a funnel in their order, and the time for all of them. */
export function FunnelBuilder({ value, onChange, schema }: FunnelBuilderProps) {
  const { steps } = value;
  const move = (place: number, to: number) => {
    const next = [...steps];
    next.splice(to, 0, ...next.splice(place, 1));
    onChange({ ...value, steps: next });
  };
  return (
    <div className={classes.builder}>
      {steps.map((step, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place in the funnel
        <div key={place} className={classes.row}>
          <span className={classes.word}>{place + 1}.</span>
          <EventChoice
            label={`Event of step ${place + 1}`}
            value={step}
            onChange={(next) => onChange({ ...value, steps: steps.map((one, at) => (at === place ? next : one)) })}
            schema={schema}
          />
          <Group gap={2} wrap="nowrap" className={classes.moves}>
            <ActionIcon
              aria-label={`Move step ${place + 1} up`}
              size="md"
              disabled={place === 0}
              onClick={() => move(place, place - 1)}
            >
              <ArrowUpIcon size={14} />
            </ActionIcon>
            <ActionIcon
              aria-label={`Move step ${place + 1} down`}
              size="md"
              disabled={place === steps.length - 1}
              onClick={() => move(place, place + 1)}
            >
              <ArrowDownIcon size={14} />
            </ActionIcon>
            <ActionIcon
              aria-label={`Remove step ${place + 1}`}
              size="md"
              disabled={steps.length <= 2}
              onClick={() => onChange({ ...value, steps: steps.filter((_, at) => at !== place) })}
            >
              <XIcon size={14} />
            </ActionIcon>
          </Group>
        </div>
      ))}
      <Group>
        <Button
          variant="default"
          leftSection={<PlusIcon size={14} />}
          disabled={steps.length >= MAX_STEPS}
          onClick={() => onChange({ ...value, steps: [...steps, {}] })}
        >
          Add a step
        </Button>
        <Group gap="xs">
          <Text>all within</Text>
          <SpanInput
            value={value.within}
            onChange={(within) => onChange({ ...value, within })}
            label="Time for all steps"
            isReadOnly={false}
          />
        </Group>
      </Group>
      <div className={classes.fields}>
        <TimeRange value={value} onChange={onChange} />
        <BreakdownSelect value={value} onChange={onChange} schema={schema} events={[steps[0]?.event]} />
      </div>
    </div>
  );
}
