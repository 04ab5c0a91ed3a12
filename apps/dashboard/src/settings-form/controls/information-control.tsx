import { Button, Code, Group, Text } from "@mantine/core";
import { useState } from "react";
import { sentenceOf } from "../../api/api-error.js";
import { callConnector, messageIn } from "../../api/connectors/use-connector-endpoints.js";
import { CopyText } from "../../ui/text/copy-text.js";
import type { ControlProps } from "../control-props.js";
import { useFormContext } from "../form-context.js";

/** A text that the connector gives when somebody asks for it. */
export function InformationControl({ setting, value, label, isDisabled }: ControlProps) {
  const { connectorId } = useFormContext();
  const [text, setText] = useState<string>();
  const [error, setError] = useState<unknown>();
  const { url } = setting;
  const show = async () => {
    setError(undefined);
    try {
      const answer = await callConnector(connectorId, url ?? "");
      setText(messageIn(answer) ?? JSON.stringify(answer, null, 2));
    } catch (reason) {
      setError(reason);
    }
  };
  if (url === undefined) return typeof value === "string" && value !== "" ? <Text>{value}</Text> : null;
  return (
    <Group gap="sm" align="flex-start">
      {text === undefined ? null : (
        <>
          <Code block>{text}</Code>
          <CopyText text={text} label={`Copy ${label}`} />
        </>
      )}
      <Button variant="default" disabled={isDisabled} aria-label={`Show ${label}`} onClick={() => void show()}>
        Show
      </Button>
      {error === undefined ? null : <Text c="var(--bad)">{sentenceOf(error)}</Text>}
    </Group>
  );
}
