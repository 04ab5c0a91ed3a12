import { Anchor, Stack, Table, Text, Title } from "@mantine/core";
import type { TimelineItem } from "@muster/protocol/api/history";
import { Link } from "@tanstack/react-router";
import { useOrganization } from "../../../api/session/use-organization.js";
import { IDENTIFIER_NAMES } from "../../../ui/text/identifier-names.js";
import { showValue } from "../../../ui/text/show-value.js";
import { TimeText } from "../../../ui/text/time-text.js";
import type { AttributeLabel } from "../use-attribute-labels.js";
import { writerName } from "../writer-name.js";
import { FactTable } from "./fact-table.js";

type ItemOf<Kind extends TimelineItem["kind"]> = Extract<TimelineItem, { kind: Kind }>;

/** An event: what its sender told, and where it came from. */
export function EventDetails({ item }: { item: ItemOf<"event"> }) {
  const { id: org } = useOrganization();
  const facts = {
    source: item.source,
    type: item.type,
    session: item.session_id,
    "anonymous id": item.anonymous_id,
    id: item.id,
  };
  return (
    <Stack>
      {item.user_id === "" ? null : (
        <Anchor component={Link} to={`/o/${org}/users/${item.user_id}`} size="sm">
          Open the user
        </Anchor>
      )}
      <Part title="Properties" values={item.properties} empty="The event has no properties." />
      <Part title="Context" values={item.context} empty="Nothing is known about the browser or the page." />
      <Part title="Origin" values={facts} empty="" />
    </Stack>
  );
}

/** Attributes that changed together, each with its writer. */
export function ChangeDetails({ item, labelOf }: { item: ItemOf<"change">; labelOf: AttributeLabel }) {
  return (
    <Table verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Attribute</Table.Th>
          <Table.Th>Before</Table.Th>
          <Table.Th>After</Table.Th>
          <Table.Th>Written by</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {item.changes.map(({ name, from, to, written_by }) => (
          <Table.Tr key={name}>
            <Table.Td title={name}>{labelOf(name)}</Table.Td>
            <Table.Td c="dimmed">{showValue(from)}</Table.Td>
            <Table.Td>{showValue(to)}</Table.Td>
            <Table.Td>{writerName(written_by)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Which subject was merged in, and why. */
export function MergeDetails({ item }: { item: ItemOf<"merge"> }) {
  const { cause, merged_identifiers, merged_id } = item;
  const found = Object.fromEntries(
    Object.entries(merged_identifiers).map(([kind, values]) => [IDENTIFIER_NAMES[kind] ?? kind, values]),
  );
  return (
    <Stack>
      {cause ? (
        <Text component="div">
          A record from {cause.recorded_at === null ? "an unknown time" : <TimeText time={cause.recorded_at} />} named
          the {IDENTIFIER_NAMES[cause.identifier] ?? cause.identifier} {cause.value}, which the other one had. It was
          sent by {writerName(cause.written_by)}.
        </Text>
      ) : (
        <Text c="dimmed">Which identifier brought them together was not kept.</Text>
      )}
      <Part title="The merged one" values={{ ...found, id: merged_id }} empty="" />
    </Stack>
  );
}

/** Who was split off. */
export function UnmergeDetails({ item }: { item: ItemOf<"unmerge"> }) {
  const { id: org } = useOrganization();
  const { survivor_id, unmerged_id, unmerged_identifiers } = item;
  const found = Object.fromEntries(
    Object.entries(unmerged_identifiers).map(([kind, values]) => [IDENTIFIER_NAMES[kind] ?? kind, values]),
  );
  return (
    <Stack>
      <Text component="div">
        A merge was undone. These are two users again:{" "}
        <Anchor component={Link} to={`/o/${org}/users/${survivor_id}`} inherit>
          the one that stayed
        </Anchor>{" "}
        and{" "}
        <Anchor component={Link} to={`/o/${org}/users/${unmerged_id}`} inherit>
          the one that was split off
        </Anchor>
        .
      </Text>
      <Part title="The one that was split off" values={{ ...found, id: unmerged_id }} empty="" />
    </Stack>
  );
}

function Part({ title, values, empty }: { title: string; values: Record<string, unknown>; empty: string }) {
  return (
    <section>
      <Title order={3} mb={4}>
        {title}
      </Title>
      <FactTable values={values} empty={empty} />
    </section>
  );
}
