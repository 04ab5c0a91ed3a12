import { ActionIcon, Button, Menu } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import type { Delivery } from "@muster/protocol/api/deliveries";
import { KebabHorizontalIcon } from "@primer/octicons-react";
import { Suspense, useState } from "react";
import { useRefreshManifest } from "../../../api/connectors/use-connectors.js";
import { useMay } from "../../../api/session/use-organization.js";
import { notifyDone, notifyFailed } from "../../../ui/notes/notify-done.js";
import { SidePanel } from "../../../ui/page/side-panel.js";
import { lazyPart } from "../../../ui/state/lazy-part.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import type { ConnectorDialog } from "./connector-dialogs.js";
import { EnabledSwitch } from "./enabled-switch.js";

const ConnectorDialogs = lazyPart(() => import("./connector-dialogs.js"), "ConnectorDialogs");
const TestPanel = lazyPart(() => import("./test-panel.js"), "TestPanel");

interface ConnectorActionsProps {
  connector: Connector;
  delivery: Delivery | undefined;
}

/** The switch of a connector, and what owners can do with it. */
export function ConnectorActions({ connector, delivery }: ConnectorActionsProps) {
  const isOwner = useMay("owner");
  const refresh = useRefreshManifest(connector.id);
  const [dialog, setDialog] = useState<ConnectorDialog>();
  const [wasOpened, setWasOpened] = useState(false);
  if (dialog && !wasOpened) setWasOpened(true);
  const readAgain = async () => {
    await refresh.mutateAsync();
    notifyDone("The manifest was read again");
  };
  const close = () => setDialog(undefined);
  const [panel, setPanel] = useUrlState("panel");
  // A connector that only sends data has no address that a message could go to.
  const receives = connector.source_url !== null;
  const isTesting = receives && panel === "test";
  return (
    <>
      {receives ? (
        <Button variant="default" onClick={() => setPanel("test")}>
          Send test
        </Button>
      ) : null}
      <SidePanel
        title={isTesting ? `Test ${connector.name}` : undefined}
        onClose={() => setPanel(undefined)}
        width={680}
      >
        <Suspense fallback={null}>{isTesting ? <TestPanel connector={connector} /> : null}</Suspense>
      </SidePanel>
      <EnabledSwitch connector={connector} delivery={delivery} />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon color="gray" aria-label={`More actions for ${connector.name}`}>
            <KebabHorizontalIcon size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isOwner ? null : <Menu.Label>Only owners can do this</Menu.Label>}
          <Menu.Item disabled={!isOwner} onClick={() => setDialog("rename")}>
            Rename
          </Menu.Item>
          <Menu.Item
            disabled={!isOwner || connector.manifest_url === null}
            onClick={() => void readAgain().catch(notifyFailed)}
          >
            Read manifest again
          </Menu.Item>
          <Menu.Item disabled={!isOwner} onClick={() => setDialog("secret")}>
            Replace secret
          </Menu.Item>
          <Menu.Item disabled={!isOwner} onClick={() => setDialog("undo")}>
            Undo what it wrote
          </Menu.Item>
          <Menu.Item disabled={!isOwner} color="red" onClick={() => setDialog("uninstall")}>
            Uninstall
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {wasOpened ? (
        <Suspense fallback={null}>
          <ConnectorDialogs connector={connector} delivery={delivery} opened={dialog} onClose={close} />
        </Suspense>
      ) : null}
    </>
  );
}
