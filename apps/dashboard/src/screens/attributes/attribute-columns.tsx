import { Group, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import type { ComputedAttribute } from "@muster/protocol/api/computed-attributes";
import { Suspense } from "react";
import { computeSentence } from "../../filters/compute-words.js";
import { typeWords } from "../../filters/type-names.js";
import { ShareBar } from "../../ui/charts/share-bar.js";
import { RowSwitch } from "../../ui/form/row-switch.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import type { DataColumn } from "../../ui/table/data-table.js";
import { formatCount, formatNumber } from "../../ui/text/format.js";
import { TimeText } from "../../ui/text/time-text.js";
import { Peek } from "../../ui/text/tip.js";
import { sourceWords } from "./source-words.js";
import type { AttributeFlag } from "./use-set-flag.js";

const DistributionView = lazyPart(() => import("./distribution-view.js"), "DistributionView");

interface ColumnsOf {
  subjectType: SubjectType;
  /** How many subjects there are. */
  total: number;
  computed: readonly ComputedAttribute[];
  connectorNames: ReadonlyMap<string, string>;
  /** Sets a flag of the attribute with a name. */
  setFlag: (name: string, flag: AttributeFlag, value: boolean) => void;
  /** Why flags cannot be set. */
  whyNot: string | undefined;
}

/** The columns of the table of attributes. */
export function attributeColumns(known: ColumnsOf): DataColumn<AttributeFigure>[] {
  const { subjectType, total, computed, connectorNames } = known;
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
        if (definition) return <Computed definition={definition} />;
        const words = sourceWords(attribute, connectorNames);
        return attribute.standard || !attribute.source ? <Dimmed>{words}</Dimmed> : words;
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
      cell: (attribute) => <Flag attribute={attribute} flag="visible" known={known} />,
    },
    {
      id: "tracked",
      header: "Tracked",
      width: 75,
      cell: (attribute) => <Flag attribute={attribute} flag="track_changes" known={known} />,
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

const SWITCHES = { visible: "Show", track_changes: "Track changes of" } as const;

interface FlagProps {
  attribute: AttributeFigure;
  flag: keyof typeof SWITCHES;
  known: ColumnsOf;
}

/** The definition of a standard field is fixed, so it has no switches. */
function Flag({ attribute, flag, known: { setFlag, whyNot } }: FlagProps) {
  const { name, standard } = attribute;
  if (standard) return <Dimmed>–</Dimmed>;
  return (
    <Group h={33}>
      <RowSwitch
        label={`${SWITCHES[flag]} ${name}`}
        checked={attribute[flag]}
        onChange={(value) => setFlag(name, flag, value)}
        whyNot={whyNot}
      />
    </Group>
  );
}

function Filled(props: { attribute: AttributeFigure; subjectType: SubjectType; total: number }) {
  const { attribute, subjectType, total } = props;
  const { count } = attribute;
  if (count === null) return <Dimmed>not counted</Dimmed>;
  return (
    <Peek
      card={
        <>
          <Text fw={600} mb="xs">
            {attribute.name}: {formatCount(count, subjectType)}
          </Text>
          <Suspense>
            <DistributionView attribute={attribute} subjectType={subjectType} isBrief />
          </Suspense>
        </>
      }
    >
      <Group gap="xs" wrap="nowrap" h={33}>
        <ShareBar share={total === 0 ? 0 : count / total} />
        <Dimmed>{formatNumber(count)}</Dimmed>
      </Group>
    </Peek>
  );
}
