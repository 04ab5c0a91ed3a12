import { Button, Group, Stack, Text, Tooltip } from "@mantine/core";
import { useState } from "react";
import { sentenceOf } from "../../api/api-error.js";
import { callConnector, messageIn } from "../../api/connectors/use-connector-endpoints.js";
import { ConfirmDialog } from "../../ui/notes/confirm-dialog.js";
import { Facts } from "../../ui/page/facts.js";
import type { ControlProps } from "../control-props.js";
import { useFormContext } from "../form-context.js";
import type { Confirmation } from "../read-setting.js";

type Outcome = { isFailed: boolean; text: string };

/** A button that calls the connector, after a question when the manifest asks one. */
export function ButtonControl({ setting, isDisabled }: ControlProps) {
  const { connectorId, hasChanges } = useFormContext();
  const { title, url, options } = setting;
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const run = async () => {
    const call = callConnector(connectorId, url ?? "");
    if (options.fireAndForget) {
      setOutcome({ isFailed: false, text: "Started. The connector goes on by itself." });
      call.catch((error: unknown) => setOutcome({ isFailed: true, text: sentenceOf(error) }));
      return;
    }
    setBusy(true);
    try {
      setOutcome({ isFailed: false, text: messageIn(await call) ?? "Done." });
    } catch (error) {
      setOutcome({ isFailed: true, text: sentenceOf(error) });
    } finally {
      setBusy(false);
    }
  };
  const reason = hasChanges ? "Save the settings first: the connector works with what is stored." : undefined;
  return (
    <Group gap="sm">
      <Tooltip label={reason} disabled={reason === undefined}>
        <Button
          variant="default"
          loading={isBusy}
          disabled={isDisabled || url === undefined || reason !== undefined}
          onClick={() => (options.confirm ? setAsking(true) : void run())}
        >
          {title}
        </Button>
      </Tooltip>
      {outcome ? (
        <Text role="status" c={outcome.isFailed ? "var(--bad)" : "dimmed"}>
          {outcome.text}
        </Text>
      ) : null}
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={title}
        action={options.confirm?.button ?? title}
        isDestructive={false}
        onConfirm={run}
      >
        {options.confirm ? <Question confirm={options.confirm} /> : null}
      </ConfirmDialog>
    </Group>
  );
}

/** The question, then what is done and with what, in the words of the manifest. */
function Question({ confirm: { text, action, entity } }: { confirm: Confirmation }) {
  const facts = [
    ...(action === undefined ? [] : [{ name: "Action", value: action }]),
    ...(entity === undefined ? [] : [{ name: "Concerns", value: entity }]),
  ];
  return (
    <Stack gap="sm">
      <Text>{text}</Text>
      {facts.length === 0 ? null : <Facts facts={facts} />}
    </Stack>
  );
}
