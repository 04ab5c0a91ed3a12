import { Button, Divider, Group, Stack, Text, Title } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import type { ComputedAttribute } from "@muster/protocol/api/computed-attributes";
import { Link } from "@tanstack/react-router";
import { useOrganization } from "../../api/session/use-organization.js";
import { attributeFilter, filterSearch } from "../../filters/filter-link.js";
import { typeWords } from "../../filters/type-names.js";
import { ShareBar } from "../../ui/charts/share-bar.js";
import { Facts } from "../../ui/page/facts.js";
import { SidePanel } from "../../ui/page/side-panel.js";
import { CopyText } from "../../ui/text/copy-text.js";
import { formatCount, formatNumber } from "../../ui/text/format.js";
import { TimeText } from "../../ui/text/time-text.js";
import { AttributeSwitch } from "./attribute-switch.js";
import { AttributeWords } from "./attribute-words.js";
import { ChangeEverywhere } from "./change-everywhere.js";
import { ComputedFacts } from "./computed/computed-facts.js";
import { DistributionView } from "./distribution-view.js";
import { sourceWords } from "./source-words.js";

interface AttributePanelProps {
  attribute: AttributeFigure | undefined;
  subjectType: SubjectType;
  /** How it is computed, when it is. */
  computed: ComputedAttribute | undefined;
  total: number;
  connectorNames: ReadonlyMap<string, string>;
  onClose: () => void;
  onEdit: (id: string) => void;
}

/** Everything about one attribute. */
export function AttributePanel({ attribute, ...props }: AttributePanelProps) {
  return (
    <SidePanel title={attribute?.name} onClose={props.onClose}>
      {attribute ? <Details {...props} attribute={attribute} /> : null}
    </SidePanel>
  );
}

function Details(props: AttributePanelProps & { attribute: AttributeFigure }) {
  const { attribute, subjectType, computed, total, connectorNames, onClose, onEdit } = props;
  const { id: org } = useOrganization();
  const { count, standard, visible } = attribute;
  const list = subjectType === "user" ? "/o/$org/users" : "/o/$org/accounts";
  return (
    <Stack gap="md">
      {computed ? <ComputedFacts computed={computed} onEdit={() => onEdit(computed.id)} onDeleted={onClose} /> : null}
      <Facts
        facts={[
          {
            name: "Key",
            value: (
              <Group gap={4}>
                <Text ff="monospace">{attribute.key}</Text>
                <CopyText text={attribute.key} label="Copy the key" />
              </Group>
            ),
          },
          { name: "Type", value: typeWords(attribute.type) },
          {
            name: "First written by",
            value: computed ? "Computed" : sourceWords(attribute, connectorNames),
          },
          { name: "First seen", value: standard ? "–" : <TimeText time={attribute.first_seen_at} /> },
          {
            name: "Last set",
            value: standard ? (
              "not noted for standard fields"
            ) : computed ? (
              "–"
            ) : (
              <TimeText time={attribute.last_seen_at} />
            ),
          },
          { name: "Filled", value: <Filled count={count} total={total} subjectType={subjectType} /> },
        ]}
      />
      {standard ? null : (
        <Stack gap="xs">
          <AttributeWords key={attribute.key} attribute={attribute} subjectType={subjectType} />
          <AttributeSwitch
            attribute={attribute}
            subjectType={subjectType}
            flag="visible"
            label="Show in reports and lists"
          />
          <AttributeSwitch
            attribute={attribute}
            subjectType={subjectType}
            flag="track_changes"
            label="Track changes: each one is an event attributes_changed"
          />
          {computed ? null : (
            <AttributeSwitch
              attribute={attribute}
              subjectType={subjectType}
              flag="server_only"
              label="Server-only: pages and tokens of end users cannot write it"
            />
          )}
        </Stack>
      )}
      {standard || computed ? null : (
        <ChangeEverywhere key={attribute.key} attribute={attribute} subjectType={subjectType} />
      )}
      {visible && count !== 0 ? (
        <Group>
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link
                {...props}
                to={list}
                params={{ org }}
                search={filterSearch(attributeFilter({ ...attribute, subjectType }))}
              />
            )}
          >
            {count === null
              ? `Show ${subjectType}s with a value`
              : `Show ${formatCount(count, subjectType)} with a value`}
          </Button>
        </Group>
      ) : null}
      <Divider />
      <Title order={2}>Values</Title>
      <DistributionView attribute={attribute} subjectType={subjectType} />
    </Stack>
  );
}

function Filled({ count, total, subjectType }: { count: number | null; total: number; subjectType: SubjectType }) {
  if (count === null) return "not counted";
  return (
    <Group gap="sm" wrap="nowrap">
      <ShareBar share={total === 0 ? 0 : count / total} />
      <Text c="dimmed">
        {formatNumber(count)} of {formatCount(total, subjectType)}
      </Text>
    </Group>
  );
}
