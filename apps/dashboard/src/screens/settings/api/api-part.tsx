import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { BRAND } from "../../../api/page-values.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { ShellCode } from "../../../ui/code/shell-code.js";
import { Rows } from "../../../ui/table/rows.js";
import { CopyText } from "../../../ui/text/copy-text.js";

/** Addresses of the API and a first call. */
export default function ApiPart() {
  const { namespace } = useOrganization();
  const { origin } = window.location;
  const call = [
    `curl ${origin}/api/v1/me \\`,
    `  -H '${BRAND}-Organization: ${namespace}' \\`,
    `  -H '${BRAND}-App-Id: <id>' -H '${BRAND}-Access-Token: <secret>'`,
  ].join("\n");
  return (
    <Stack gap="md" maw={760}>
      <Rows>
        <Rows.Row name="Reference">
          <Anchor href="/docs" target="_blank">
            {origin}/docs
          </Anchor>
        </Rows.Row>
        <Rows.Row name="OpenAPI document">
          <Anchor href="/api/v1/openapi.json" target="_blank">
            {origin}/api/v1/openapi.json
          </Anchor>
        </Rows.Row>
        <Rows.Row name="Base address">
          <Value text={`${origin}/api/v1`} />
        </Rows.Row>
        <Rows.Row name="Gateway for batches">
          <Value text={`${origin}/firehose`} />
        </Rows.Row>
      </Rows>
      <Title order={2}>A first call</Title>
      <Text c="dimmed">Ids and secrets are under Credentials.</Text>
      <ShellCode text={call} />
    </Stack>
  );
}

function Value({ text }: { text: string }) {
  return (
    <Group gap={4}>
      {text}
      <CopyText text={text} />
    </Group>
  );
}
