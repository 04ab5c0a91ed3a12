import { Alert, Button, Group, Text } from "@mantine/core";
import { sentenceOf } from "../../api/api-error.js";

/** A part of a page that failed says so in its place, with a way to try again. */
export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <Alert color="red" variant="light" role="alert" p="sm">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text>{sentenceOf(error)}</Text>
        {onRetry ? (
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        ) : null}
      </Group>
    </Alert>
  );
}
