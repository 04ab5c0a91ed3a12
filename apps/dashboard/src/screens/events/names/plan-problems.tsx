import { Table, Text } from "@mantine/core";
import type { EventPlan, PlanProblem } from "@muster/protocol/api/events";
import { typeWords } from "../../../filters/type-names.js";
import { formatCount, formatNumber } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";

/** What did not follow the plan since its properties were last changed. */
export function PlanProblems({ plan: { properties, problems } }: { plan: EventPlan }) {
  if (properties === null) return <Text c="dimmed">Its events may have any properties.</Text>;
  if (problems.length === 0)
    return <Text c="dimmed">All events have followed the plan since it was last changed.</Text>;
  return (
    <Table aria-label="What did not follow the plan">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Property</Table.Th>
          <Table.Th>What is wrong</Table.Th>
          <Table.Th ta="right">Events</Table.Th>
          <Table.Th>Last</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {problems.map((problem) => (
          <Table.Tr key={`${problem.property} ${problem.problem}`}>
            <Table.Td>{problem.property}</Table.Td>
            <Table.Td>{inWords(problem)}</Table.Td>
            <Table.Td ta="right">{formatNumber(problem.count)}</Table.Td>
            <Table.Td>
              <TimeText time={problem.last_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function inWords({ problem, found, refused }: PlanProblem): string {
  const what =
    problem === "missing"
      ? "missing"
      : problem === "unknown"
        ? `not in the plan (${typeWords(found).toLowerCase()})`
        : `is ${typeWords(found).toLowerCase()} instead`;
  return refused === 0 ? what : `${what}, ${formatCount(refused, "event")} refused`;
}
