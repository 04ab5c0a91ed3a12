import { Code, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { answer, api } from "../../../api/client.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { formatCount } from "../../../ui/text/format.js";

/** What is stored, and for how long. */
export default function RetentionPart() {
  const { id: org } = useOrganization();
  const { data, error, refetch } = useQuery({
    queryKey: [org, "retention"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/retention", { params: { query: { per_page: 100 } }, signal })),
  });
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <Stack gap="md" maw={760}>
      <Text c="dimmed">
        These are settings of the server. The person who runs it changes them in its environment and restarts it. One
        person is removed from everywhere with <b>Erase</b> on the page of that user.
      </Text>
      <Table.ScrollContainer minWidth={520}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>What is stored</Table.Th>
              <Table.Th>How long</Table.Th>
              <Table.Th>Setting</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.map(({ what, days, setting }) => (
              <Table.Tr key={what}>
                <Table.Td>{what}</Table.Td>
                <Table.Td>{days === null ? "until somebody deletes it" : formatCount(days, "day")}</Table.Td>
                <Table.Td>{setting === null ? "" : <Code>{setting}</Code>}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
