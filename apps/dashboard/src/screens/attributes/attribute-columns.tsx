import { Group, HoverCard, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import type { ComputedAttribute } from "@muster/protocol/api/computed-attributes";
import { Suspense } from "react";
import { computeSentence } from "../../filters/compute-words.js";
import { typeWords } from "../../filters/type-names.js";
import { ShareBar } from "../../ui/charts/share-bar.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import type { DataColumn } from "../../ui/table/data-table.js";
import { formatCount, formatNumber } from "../../ui/text/format.js";
import { TimeText } from "../../ui/text/time-text.js";
import { AttributeSource } from "./attribute-source.js";
import { AttributeSwitch } from "./attribute-switch.js";

const DistributionView = lazyPart(() => import("./distribution-view.js"), "DistributionView");

/** The columns of the table of attributes. */
export function attributeColumns(
  subjectType: SubjectType,
  total: number,
  computed: readonly ComputedAttribute[],
): DataColumn<AttributeFigure>[] {
  const definitionOf = (attribute: AttributeFigure) =>
    attribute.standard ? undefined : computed.find(({ name }) => name === attribute.name);
  return [
    {
      id: "name",
      header: "Name",
      width: 220,
      isSortable: true,
      cell: ({ name, label, visible }) => (
        <Text span inherit c={visible ? undefined : "dimmed"} td={visible ? undefined : "line-through"}>
          {label === "" ? name : `${label} (${name})`}
        </Text>
      ),
    },
    {
      id: "filled",
      header: "Filled",
      width: 240,
      isSortable: true,
      cell: (attribute) => <Filled attribute={attribute} subjectType={subjectType} total={total} />,
    },
    { id: "type", header: "Type", width: 80, isSortable: true, cell: ({ type }) => typeWords(type) },
    {
      id: "source",
      header: "First written by",
      width: computed.length === 0 ? 150 : 270,
      cell: (attribute) => {
        const definition = definitionOf(attribute);
        return definition ? <Computed definition={definition} /> : <AttributeSource attribute={attribute} />;
      },
    },
    {
      id: "group",
      header: "Group",
      width: 90,
      isSortable: true,
      cell: ({ group, standard }) => group ?? (standard ? <Dimmed>standard</Dimmed> : <Dimmed>–</Dimmed>),
    },
    {
      id: "seen",
      header: "Last set",
      width: 110,
      isSortable: true,
      cell: (attribute) =>
        attribute.standard || definitionOf(attribute) ? <Dimmed>–</Dimmed> : <TimeText time={attribute.last_seen_at} />,
    },
    {
      id: "visible",
      header: "Shown",
      width: 70,
      cell: (attribute) => <Flag attribute={attribute} subjectType={subjectType} flag="visible" />,
    },
    {
      id: "tracked",
      header: "Tracked",
      width: 75,
      cell: (attribute) => <Flag attribute={attribute} subjectType={subjectType} flag="track_changes" />,
    },
  ];
}

function Dimmed({ children }: { children: string }) {
  return (
    <Text span inherit c="dimmed">
      {children}
    </Text>
  );
}

/** What is computed, in a sentence, and whether that is not so at present. */
function Computed({ definition: { compute, status } }: { definition: ComputedAttribute }) {
  const sentence = computeSentence(compute);
  return (
    <Text span inherit truncate title={sentence}>
      {status === "ok" ? null : (
        <Text span inherit c={status === "broken" ? "var(--bad)" : "dimmed"}>
          {status === "broken" ? "Broken: " : "Being computed: "}
        </Text>
      )}
      {sentence}
    </Text>
  );
}

/** The definition of a standard field is fixed, so it has no switches. */
function Flag(props: Parameters<typeof AttributeSwitch>[0]) {
  if (props.attribute.standard) return <Dimmed>–</Dimmed>;
  return (
    <Group h={33}>
      <AttributeSwitch {...props} />
    </Group>
  );
}

function Filled(props: { attribute: AttributeFigure; subjectType: SubjectType; total: number }) {
  const { attribute, subjectType, total } = props;
  const { count } = attribute;
  if (count === null) return <Dimmed>not counted</Dimmed>;
  return (
    <HoverCard width={340} position="right" openDelay={250} withinPortal withRoles={false}>
      <HoverCard.Target>
        <Group gap="xs" wrap="nowrap" h={33}>
          <ShareBar share={total === 0 ? 0 : count / total} />
          <Dimmed>{formatNumber(count)}</Dimmed>
        </Group>
      </HoverCard.Target>
      <HoverCard.Dropdown>
        <Text fw={600} mb="xs">
          {attribute.name}: {formatCount(count, subjectType)}
        </Text>
        <Suspense>
          <DistributionView attribute={attribute} subjectType={subjectType} isBrief />
        </Suspense>
      </HoverCard.Dropdown>
    </HoverCard>
  );
}
