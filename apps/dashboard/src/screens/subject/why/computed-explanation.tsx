import { Stack, Table, Text, Title } from "@mantine/core";
import type { ComputedExplanation as Explained } from "@muster/protocol/api/computed-attributes";
import type { AttributeState } from "@muster/protocol/api/history";
import { namelessWords } from "../../../api/audience/subject-name.js";
import { useComputedExplanation } from "../../../api/audience/use-computed-attributes.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { computeSentence } from "../../../filters/compute-words.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { TextLink } from "../../../ui/page/text-link.js";
import { formatCount, formatNumber, formatTime } from "../../../ui/text/format.js";
import { showValue } from "../../../ui/text/show-value.js";
import { TimeText } from "../../../ui/text/time-text.js";

interface ComputedExplanationProps {
  subjectId: string;
  attribute: AttributeState;
}

/** Why a computed value is what it is: the events, the attributes or the users that it was computed from. */
export function ComputedExplanation({ subjectId, attribute }: ComputedExplanationProps) {
  const { data, error, refetch } = useComputedExplanation(subjectId, attribute.name, attribute.value);
  return (
    <Stack gap="sm">
      <Title order={3}>Why this value</Title>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data ? <Reasons explained={data} type={attribute.type} /> : null}
    </Stack>
  );
}

function Reasons({ explained, type }: { explained: Explained; type: AttributeState["type"] }) {
  const { definition, value, computed, events, inputs, users } = explained;
  const isBehind = JSON.stringify(value) !== JSON.stringify(computed);
  return (
    <>
      <Text style={{ overflowWrap: "anywhere" }}>{computeSentence(definition.compute)}.</Text>
      {definition.status === "broken" ? (
        <Text c="var(--bad)">It cannot be computed: {definition.error} The value stays as it was.</Text>
      ) : null}
      {isBehind ? (
        <Text c="var(--late)">
          At this moment it is <Value value={computed} type={type} />: the change is on its way.
        </Text>
      ) : null}
      {events ? <Events events={events} /> : null}
      {inputs ? <Inputs inputs={inputs} /> : null}
      {users ? <Users users={users} type={type} /> : null}
    </>
  );
}

function Events({ events: { count, from, first, last } }: { events: NonNullable<Explained["events"]> }) {
  const isWhole = last.length >= count;
  return (
    <>
      <Text>
        {formatCount(count, "event")} {count === 1 ? "counts" : "count"}
        {from === null ? "." : `, from ${formatTime(from)} on.`}
      </Text>
      <EventTable label={isWhole ? "The events" : "The latest events"} events={last} />
      {isWhole ? null : <EventTable label="The earliest events" events={first} />}
    </>
  );
}

function EventTable({ label, events }: { label: string; events: NonNullable<Explained["events"]>["first"] }) {
  if (events.length === 0) return null;
  const hasValues = events.some(({ value }) => value !== null);
  return (
    <Table verticalSpacing={4} layout="fixed" aria-label={label} captionSide="top">
      <Table.Caption ta="left">{label}</Table.Caption>
      <Table.Tbody>
        {events.map(({ id, event, created_at, value }) => (
          <Table.Tr key={id}>
            <Table.Td w="40%">
              <TimeText time={created_at} />
            </Table.Td>
            <Table.Td style={{ overflowWrap: "anywhere" }}>{event}</Table.Td>
            {hasValues ? (
              <Table.Td ta="right" style={{ overflowWrap: "anywhere" }}>
                {showValue(value)}
              </Table.Td>
            ) : null}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Inputs({ inputs }: { inputs: NonNullable<Explained["inputs"]> }) {
  if (inputs.length === 0) return <Text c="dimmed">It reads no attribute.</Text>;
  return (
    <Table verticalSpacing={4} layout="fixed" aria-label="What the formula reads">
      <Table.Tbody>
        {inputs.map(({ name, value }) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w="50%" fw={400} style={{ overflowWrap: "anywhere" }}>
              {name}
            </Table.Th>
            <Table.Td ta="right" style={{ overflowWrap: "anywhere" }} c={value === null ? "dimmed" : undefined}>
              {value === null ? "not set" : showValue(value)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Users({ users, type }: { users: NonNullable<Explained["users"]>; type: AttributeState["type"] }) {
  const { id: org } = useOrganization();
  const { total, count, largest } = users;
  return (
    <>
      <Text>
        {formatNumber(count)} of {formatCount(total, "user")} {count === 1 ? "counts" : "count"}.
      </Text>
      {largest.length === 0 ? null : (
        <Table verticalSpacing={4} layout="fixed" aria-label="The users who make the most of it" captionSide="top">
          <Table.Caption ta="left">Those who make the most of it</Table.Caption>
          <Table.Tbody>
            {largest.map(({ id, name, value }) => (
              <Table.Tr key={id}>
                <Table.Td style={{ overflowWrap: "anywhere" }}>
                  <TextLink to="/o/$org/users/$id" params={{ org, id }}>
                    {name ?? namelessWords(id)}
                  </TextLink>
                </Table.Td>
                <Table.Td ta="right" w="40%" style={{ overflowWrap: "anywhere" }}>
                  <Value value={value} type={type} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  );
}

function Value({ value, type }: { value: unknown; type: AttributeState["type"] }) {
  return type === "date" && typeof value === "string" ? <TimeText time={value} /> : showValue(value);
}
