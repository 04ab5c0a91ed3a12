import { Anchor, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../../../api/client.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { Rows } from "../../../ui/table/rows.js";
import { StatusDot } from "../../../ui/text/status-dot.js";
import { TimeText } from "../../../ui/text/time-text.js";

/** How the server is, with advice where something is wrong. */
export default function HealthPart() {
  const { id: org } = useOrganization();
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    queryKey: [org, "health-checks"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/health_checks", { params: { query: { per_page: 100 } }, signal })),
    refetchInterval: 5_000,
  });
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <Stack gap="md" maw={760}>
      <Text c="dimmed">
        Looked at <TimeText time={dataUpdatedAt} />. Figures for monitoring are at{" "}
        <Anchor href="/metrics" target="_blank">
          /metrics
        </Anchor>
        .
      </Text>
      <Rows>
        {data.map(({ name, status, message, advice }) => (
          <Rows.Row key={name} name={<StatusDot status={status}>{name}</StatusDot>}>
            {message}
            {advice === "" ? null : (
              <Text c="dimmed" component="p" m={0}>
                {advice}
              </Text>
            )}
          </Rows.Row>
        ))}
      </Rows>
    </Stack>
  );
}
