import { Stack, Table, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { ScriptPreview } from "../../../api/connectors/use-processor.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { formatDuration } from "../../../ui/text/format.js";
import { actionSentence, showValue } from "./action-sentence.js";
import classes from "./processor.module.css";

interface PreviewResultProps {
  run: ScriptPreview | undefined;
  failure: unknown;
  isOutdated: boolean;
  isChosen: boolean;
  entity: SubjectType;
}

/** What the code would do for the chosen user or account. Nothing of it is done. */
export function PreviewResult({ run, failure, isOutdated, isChosen, entity }: PreviewResultProps) {
  if (!isChosen) {
    return <Text c="dimmed">Choose {entity === "user" ? "a user" : "an account"} to see what the code would do.</Text>;
  }
  if (failure) return <ErrorNote error={failure} />;
  if (!run) return null;
  const { differences, actions, problems, logs, error, line, time_ms } = run;
  const others = error === null ? actions.filter((action) => !isOwnTraits(action)) : [];
  return (
    <Stack
      gap="sm"
      data-outdated={isOutdated || undefined}
      className={classes.result}
      role="region"
      aria-label="Preview"
    >
      <Text c="dimmed">Ran in {formatDuration(Math.max(1, time_ms))}. Nothing was written.</Text>
      {error === null ? null : (
        <Text c="var(--bad)" role="alert">
          {line === null ? "" : `Line ${line}: `}
          {error}
        </Text>
      )}
      {problems.map((problem) => (
        <Text key={problem} c="var(--bad)">
          {problem}
        </Text>
      ))}
      {error === null && differences.length + others.length === 0 ? (
        <Text>It would change nothing: every value is already as the code says.</Text>
      ) : null}
      {differences.length === 0 ? null : (
        <Table aria-label="Attributes that would change" verticalSpacing={4} borderColor="var(--line)">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Attribute</Table.Th>
              <Table.Th>Now</Table.Th>
              <Table.Th>Then</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differences.map(({ attribute, before, after }) => (
              <Table.Tr key={attribute}>
                <Table.Td className={classes.value}>{attribute}</Table.Td>
                <Table.Td className={classes.value} c="dimmed">
                  {showValue(before)}
                </Table.Td>
                <Table.Td className={classes.value} c="var(--good)">
                  {showValue(after)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {others.length === 0 ? null : (
        <ul className={classes.actions} aria-label="Events and other actions">
          {others.map((action, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list is made anew by each run
            <li key={index}>{actionSentence(action)}</li>
          ))}
        </ul>
      )}
      {logs.length === 0 ? null : <pre className={classes.logs}>{logs.join("\n")}</pre>}
    </Stack>
  );
}

function isOwnTraits({ kind, subject }: ScriptPreview["actions"][number]): boolean {
  return kind === "traits" && !subject.user && !subject.account;
}
