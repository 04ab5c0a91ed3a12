import { Button, Group, Stack, Table, Text } from "@mantine/core";
import type { Credentials } from "@muster/protocol/api/connectors";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "../../../api/client.js";
import { useMay, useOrganization } from "../../../api/session/use-organization.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { TextLink } from "../../../ui/page/text-link.js";
import { CopyText } from "../../../ui/text/copy-text.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { CreateCredentials } from "./create-credentials.js";
import { ShownSecret } from "./shown-secret.js";

/** The credentials with which programs call the API. */
export default function CredentialsPart() {
  const { id: org } = useOrganization();
  const isOwner = useMay("owner");
  const queryClient = useQueryClient();
  const [shown, setShown] = useState<Credentials>();
  const [replaced, setReplaced] = useState<{ id: string; name: string }>();
  const queryKey = [org, "credentials"];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/connectors", { params: { query: { per_page: 1_000 } }, signal })),
  });
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <Stack gap="md" maw={820}>
      <Group justify="space-between" align="flex-end">
        <Text c="dimmed" maw={520}>
          A program calls the API with the id and the secret of a connector. A secret is shown once, when it is made.
        </Text>
        <CreateCredentials
          mayCreate={isOwner}
          onCreated={(credentials) => {
            setShown(credentials);
            void queryClient.invalidateQueries({ queryKey });
          }}
        />
      </Group>
      {shown ? <ShownSecret credentials={shown} onHide={() => setShown(undefined)} /> : null}
      <Table.ScrollContainer minWidth={640}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Id</Table.Th>
              <Table.Th>Created</Table.Th>
              <Table.Th>Secret</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.map(({ id, name, created_at }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <TextLink to="/o/$org/connectors/$id" params={{ org, id }}>
                    {name}
                  </TextLink>
                </Table.Td>
                <Table.Td>
                  <Group gap={4} wrap="nowrap">
                    {id}
                    <CopyText text={id} label={`Copy the id of ${name}`} />
                  </Group>
                </Table.Td>
                <Table.Td>
                  <TimeText time={created_at} />
                </Table.Td>
                <Table.Td>
                  <Button
                    variant="default"
                    size="compact-xs"
                    disabled={!isOwner}
                    title={isOwner ? undefined : "Only owners may replace secrets."}
                    onClick={() => setReplaced({ id, name })}
                  >
                    Replace secret
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <ConfirmDialog
        opened={replaced !== undefined}
        onClose={() => setReplaced(undefined)}
        title={`Replace the secret of ${replaced?.name ?? ""}?`}
        action="Replace secret"
        onConfirm={async () => {
          const id = replaced?.id ?? "";
          setShown(await answer(api.POST("/api/v1/{id}/secret", { params: { path: { id } } })));
        }}
      >
        The present secret stops working at once, and so do all tokens that were signed with it. Programs that use it
        are refused until they have the new one.
      </ConfirmDialog>
    </Stack>
  );
}
