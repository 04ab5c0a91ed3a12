import "@mantine/core/styles/Radio.css";
import { Radio, Stack, Switch, Text, Title } from "@mantine/core";
import type { Connector, ConnectorChange } from "@muster/protocol/api/connectors";
import { useUpdateConnector } from "../../../api/connectors/use-connectors.js";
import { notifyOutcome } from "../../../ui/notes/notify-done.js";
import { ServedPurposes } from "./served-purposes.js";
import classes from "./settings-tab.module.css";

interface DeliveryOptionsProps {
  connector: Connector;
  mayEdit: boolean;
}

/** What is sent to a connector, whatever its manifest says. Each change is saved at once and can be undone. */
export function DeliveryOptions({ connector, mayEdit }: DeliveryOptionsProps) {
  const update = useUpdateConnector(connector.id);
  const { when_disabled: whenDisabled, notify_users_of_account: notifiesUsers } = connector;
  const save = (change: ConnectorChange, undo: ConnectorChange) =>
    notifyOutcome(update.mutateAsync(change), "Settings saved", () => update.mutateAsync(undo));
  const isDisabled = !mayEdit || update.isPending;
  return (
    <section className={classes.options} aria-labelledby="delivery-options">
      <Title order={2} id="delivery-options">
        Messages to the connector
      </Title>
      <Radio.Group
        label="While the connector is switched off"
        value={whenDisabled}
        onChange={(value) => {
          const next = value === "hold" ? "hold" : "drop";
          save({ when_disabled: next }, { when_disabled: whenDisabled });
        }}
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="drop"
            disabled={isDisabled}
            label="Drop messages"
            description="What happens in this time is never sent. Switching it off also drops what waits."
          />
          <Radio
            value="hold"
            disabled={isDisabled}
            label="Hold messages"
            description="They wait, and are sent when it is switched on again. After 14 days they become dead letters."
          />
        </Stack>
      </Radio.Group>
      <Switch
        checked={notifiesUsers}
        disabled={isDisabled}
        label="Send users also when only their account changes"
        description="The connector then gets a message about each user of an account whose attributes or segments change. For large accounts these are many messages."
        onChange={({ currentTarget: { checked } }) => {
          save({ notify_users_of_account: checked }, { notify_users_of_account: notifiesUsers });
        }}
      />
      <ServedPurposes connector={connector} mayEdit={mayEdit} />
      {connector.enabled || whenDisabled === "hold" ? null : (
        <Text c="dimmed">The connector is switched off now, and messages are dropped.</Text>
      )}
    </section>
  );
}
