import { Stack, Text, Title } from "@mantine/core";
import type { Segment } from "@muster/protocol/api/segments";
import { useSegmentUse } from "../../api/audience/use-segments.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { EmptyState } from "../../ui/page/empty-state.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { TextLink } from "../../ui/page/text-link.js";
import classes from "./segments.module.css";

/** The connectors and segments that use a segment. */
export function UsesTab({ segment }: { segment: Segment }) {
  const { id: org } = useOrganization();
  const { data, error, refetch } = useSegmentUse(segment.id);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <PageSkeleton />;
  if (data.connectors.length + data.segments.length === 0) {
    return (
      <EmptyState title="Nobody uses this segment">
        Choose it in the settings of a connector to send only its members, or in the filter of another segment.
      </EmptyState>
    );
  }
  return (
    <Stack gap="lg" maw={720}>
      {data.connectors.length > 0 ? (
        <section>
          <Title order={2}>Connectors</Title>
          <ul className={classes.sample}>
            {data.connectors.map(({ id, name, enabled, settings }) => (
              <li key={id}>
                <span>
                  <TextLink to="/o/$org/connectors/$id" params={{ org, id }}>
                    {name}
                  </TextLink>
                  {enabled ? null : (
                    <Text component="span" c="dimmed">
                      {" "}
                      (disabled)
                    </Text>
                  )}
                </span>
                <Text component="span" c="dimmed">
                  {settings.map(({ title }) => title).join(", ")}
                </Text>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      {data.segments.length > 0 ? (
        <section>
          <Title order={2}>Segments that ask about it</Title>
          <ul className={classes.sample}>
            {data.segments.map(({ id, name }) => (
              <li key={id}>
                <TextLink to="/o/$org/segments/$id" params={{ org, id }}>
                  {name}
                </TextLink>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </Stack>
  );
}
