import { Anchor, Stack, Text, Title } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import { Link } from "@tanstack/react-router";
import { useDistribution } from "../../api/audience/use-attributes.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { attributeFilter, filterSearch } from "../../filters/filter-link.js";
import { Histogram } from "../../ui/charts/histogram.js";
import { ValueBars } from "../../ui/charts/value-bars.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { formatCount, formatNumber } from "../../ui/text/format.js";
import { printBarValue, printValue } from "./print-value.js";

interface DistributionViewProps {
  attribute: AttributeFigure;
  subjectType: SubjectType;
  /** Few values and no links, for a card that shows while the pointer is over a row. */
  isBrief?: boolean;
}

/** Which values an attribute has: the most frequent ones and, for numbers and dates, a histogram. */
export function DistributionView({ attribute, subjectType, isBrief = false }: DistributionViewProps) {
  const { id: org } = useOrganization();
  const { data, error, refetch, isPlaceholderData } = useDistribution(subjectType, attribute.key, {
    isEnabled: attribute.visible,
  });
  if (!attribute.visible) return <Text c="dimmed">Its values are not shown while it is hidden.</Text>;
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data || isPlaceholderData) return <Text c="dimmed">Counting values…</Text>;
  const having = data.total - data.missing;
  if (having === 0) return <Text c="dimmed">Nobody has a value yet.</Text>;
  const bars = data.histogram.map(({ value, count }) => ({ label: printBarValue(attribute.type, value), count }));
  const top = data.top.slice(0, isBrief ? 5 : 20);
  // A list of single values says nothing.
  const areAllDifferent = bars.length > 1 && (top[0]?.count ?? 0) <= 1;
  const list = subjectType === "user" ? "/o/$org/users" : "/o/$org/accounts";
  const values = (
    <ValueBars
      total={having}
      bars={top.map(({ value, count }) => ({
        key: String(value),
        count,
        label: isBrief ? (
          printValue(attribute.type, value)
        ) : (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link
                {...props}
                to={list}
                params={{ org }}
                search={filterSearch(attributeFilter({ ...attribute, subjectType }, value))}
              />
            )}
          >
            {printValue(attribute.type, value)}
          </Anchor>
        ),
      }))}
    />
  );
  return (
    <Stack gap="sm">
      {bars.length > 1 ? <Histogram bars={bars} label={`Values of ${attribute.name}`} /> : null}
      {areAllDifferent || (bars.length > 1 && isBrief) ? null : (
        <Stack gap={4}>
          {isBrief ? null : <Title order={3}>Most frequent values</Title>}
          {values}
        </Stack>
      )}
      <Text size="xs" c="dimmed">
        {formatCount(data.distinct, "distinct value")} of {formatNumber(having)}
      </Text>
    </Stack>
  );
}
