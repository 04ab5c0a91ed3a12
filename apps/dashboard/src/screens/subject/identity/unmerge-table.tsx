import { Table, Text } from "@mantine/core";
import type { SubjectHalf, UnmergePreview } from "@muster/protocol/api/merges";
import { formatNumber } from "../../../ui/text/format.js";
import { IDENTIFIER_NAMES } from "../../../ui/text/identifier-names.js";
import { showValue } from "../../../ui/text/show-value.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { writerName } from "../writer-name.js";

const UNKNOWN = "not known before";

/** Both halves of a merge, side by side. */
export function UnmergeTable({ preview }: { preview: UnmergePreview }) {
  const { survivor, split_off: other } = preview;
  const halves = [survivor, other];
  const names = [...new Set(halves.flatMap(({ attributes }) => attributes.map(({ name }) => name)))].sort();
  const kinds = [...new Set(halves.flatMap(({ identifiers }) => Object.keys(identifiers)))];
  const segments = [...new Map(halves.flatMap((half) => half.segments).map((one) => [one.id, one])).values()];
  return (
    <Table.ScrollContainer minWidth={520}>
      <Table verticalSpacing={4} aria-label="Both halves">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <Text span className="mantine-visually-hidden">
                What
              </Text>
            </Table.Th>
            <Table.Th>Stays here</Table.Th>
            <Table.Th>Is split off</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Row name="id" cells={halves.map(({ id }) => id)} />
          {kinds.map((kind) => (
            <Row
              key={kind}
              name={IDENTIFIER_NAMES[kind] ?? kind}
              cells={halves.map(({ identifiers }) => identifiers[kind]?.join(", "))}
            />
          ))}
          {names.map((name) => (
            <Row key={name} name={name} cells={halves.map((half) => attributeCell(half, name))} />
          ))}
          <Row
            name="events"
            cells={halves.map(({ events }) => (events === null ? "not counted" : formatNumber(events)))}
          />
          <Row name="account" cells={halves.map(({ account }) => account?.name ?? account?.id)} />
          <Row name="known since" cells={halves.map(({ created_at: at }) => <TimeText key={at} time={at} />)} />
          {segments.map(({ id, name, now }) => (
            <Row key={id} name={`segment ${name}`} cells={halves.map((half) => segmentCell(half, id, now))} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({ name, cells }: { name: string; cells: readonly React.ReactNode[] }) {
  const [here, there] = cells;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} c="dimmed">
        {name}
      </Table.Th>
      <Table.Td style={{ overflowWrap: "anywhere" }}>{here ?? "–"}</Table.Td>
      <Table.Td style={{ overflowWrap: "anywhere" }}>{there ?? "–"}</Table.Td>
    </Table.Tr>
  );
}

function attributeCell({ attributes }: SubjectHalf, name: string) {
  const found = attributes.find((attribute) => attribute.name === name);
  if (!found) return undefined;
  return (
    <>
      {showValue(found.value)}{" "}
      <Text span c="dimmed" size="xs">
        {writerName(found.set_by)}, <TimeText time={found.set_at} />
      </Text>
    </>
  );
}

function segmentCell({ segments }: SubjectHalf, id: string, isMemberNow: boolean): string {
  const found = segments.find((segment) => segment.id === id);
  const after = found ? found.after : false;
  if (after === null) return UNKNOWN;
  if (after) return isMemberNow ? "stays" : "enters";
  return isMemberNow ? "leaves" : "–";
}
