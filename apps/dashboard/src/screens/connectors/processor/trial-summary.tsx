import { Stack, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { ScriptTrial } from "../../../api/connectors/use-processor.js";
import { formatCount, formatDuration, formatNumber } from "../../../ui/text/format.js";
import { showValue } from "./action-sentence.js";
import classes from "./processor.module.css";

interface TrialSummaryProps {
  trial: ScriptTrial;
  entity: SubjectType;
  onChoose: (id: string) => void;
}

/** What the code would do for many: how many would change, what, and where it fails. */
export function TrialSummary({ trial, entity, onChoose }: TrialSummaryProps) {
  const { found, tried, changed, failed, attributes, events, errors, time_ms } = trial;
  return (
    <Stack gap="xs" role="region" aria-label="Result for many">
      <Text fw={500}>
        {tried === 0
          ? `There are no ${entity}s to try it on.`
          : `${formatNumber(changed)} of ${formatCount(tried, entity)} would change${failed === 0 ? "" : `, ${formatNumber(failed)} fail`}.`}
      </Text>
      <Text c="dimmed">
        Ran in {formatDuration(Math.max(1, time_ms))}.
        {tried < found ? ` It was too slow for the other ${formatNumber(found - tried)}.` : ""} Nothing was written.
      </Text>
      {errors.map(({ error, line, count, examples }) => (
        <Text key={`${line} ${error}`} c="var(--bad)">
          {line === null ? "" : `Line ${line}: `}
          {error} ({formatCount(count, entity)}, such as <Examples examples={examples} onChoose={onChoose} />)
        </Text>
      ))}
      {attributes.map(({ attribute, count, examples }) => (
        <div key={attribute}>
          <Text>
            <b>{attribute}</b> of {formatCount(count, entity)}
          </Text>
          <ul className={classes.actions}>
            {examples.map(({ id, name, before, after }) => (
              <li key={id}>
                <Examples examples={[{ id, name }]} onChoose={onChoose} />: {showValue(before)} → {showValue(after)}
              </li>
            ))}
          </ul>
        </div>
      ))}
      {events.map(({ event, count, subjects }) => (
        <Text key={event}>
          <b>{event}</b>: {formatCount(count, "event")} of {formatCount(subjects, entity)}
        </Text>
      ))}
    </Stack>
  );
}

function Examples({
  examples,
  onChoose,
}: {
  examples: { id: string; name: string }[];
  onChoose: (id: string) => void;
}) {
  const [first] = examples;
  if (!first) return null;
  return (
    <button type="button" className={classes.example} onClick={() => onChoose(first.id)}>
      {first.name}
    </button>
  );
}
