import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import type { Credentials } from "@muster/protocol/api/connectors";
import { Rows } from "../../../ui/table/rows.js";
import { CopyText } from "../../../ui/text/copy-text.js";

/** A secret that was just made. It cannot be shown again. */
export function ShownSecret({ credentials, onHide }: { credentials: Credentials; onHide: () => void }) {
  const { id, name, secret, organization, write_key: writeKey } = credentials;
  const lines: [string, string][] = [
    ["Organization", organization],
    ["Id", id],
    ["Secret", secret],
    ...(writeKey === null ? [] : ([["Write key", writeKey]] satisfies [string, string][])),
  ];
  return (
    <Alert color="accent" variant="light" role="status" title={`Credentials of ${name}`}>
      <Stack gap="xs">
        <Text>Copy the secret now: it is not shown again.</Text>
        <Rows>
          {lines.map(([label, value]) => (
            <Rows.Row key={label} name={label}>
              <Group gap={4} wrap="nowrap">
                <span>{value}</span>
                <CopyText text={value} label={`Copy: ${label}`} />
              </Group>
            </Rows.Row>
          ))}
        </Rows>
        <Button variant="default" onClick={onHide} mr="auto">
          I have copied it
        </Button>
      </Stack>
    </Alert>
  );
}
