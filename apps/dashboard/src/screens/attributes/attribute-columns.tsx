import { Group, HoverCard, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import { lazy, Suspense } from "react";
import { typeWords } from "../../filters/type-names.js";
import { ShareBar } from "../../ui/charts/share-bar.js";
import type { DataColumn } from "../../ui/table/data-table.js";
import { formatCount, formatNumber } from "../../ui/text/format.js";
import { TimeText } from "../../ui/text/time-text.js";
import { AttributeSource } from "./attribute-source.js";
import { AttributeSwitch } from "./attribute-switch.js";

const DistributionView = lazy(() =>
  import("./distribution-view.js").then((file) => ({ default: file.DistributionView })),
);

/** The columns of the table of attributes. */
export function attributeColumns(subjectType: SubjectType, total: number): DataColumn<AttributeFigure>[] {
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
      cell: ({ last_seen_at, standard }) => (standard ? <Dimmed>–</Dimmed> : <TimeText time={last_seen_at} />),
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
    {
      id: "source",
      header: "First written by",
      width: 150,
      cell: (attribute) => <AttributeSource attribute={attribute} />,
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
