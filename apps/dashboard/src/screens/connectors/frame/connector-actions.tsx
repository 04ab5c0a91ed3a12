import { ActionIcon, Button, Menu } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import type { Delivery } from "@muster/protocol/api/deliveries";
import { KebabHorizontalIcon } from "@primer/octicons-react";
import { Suspense, useState } from "react";
import { useRefreshManifest } from "../../../api/connectors/use-connectors.js";
import { useMay } from "../../../api/session/use-organization.js";
import { Dialog } from "../../../ui/notes/dialog.js";
import { notifyDone, notifyFailed } from "../../../ui/notes/notify-done.js";
import { SidePanel } from "../../../ui/page/side-panel.js";
import { lazyPart } from "../../../ui/state/lazy-part.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { EnabledSwitch } from "./enabled-switch.js";
import { RenameDialog } from "./rename-dialog.js";
import { ReplaceSecretDialog } from "./replace-secret-dialog.js";
import { UninstallDialog } from "./uninstall-dialog.js";

const UndoWrites = lazyPart(() => import("./undo-writes.js"), "default");
const TestPanel = lazyPart(() => import("./test-panel.js"), "TestPanel");

interface ConnectorActionsProps {
  connector: Connector;
  delivery: Delivery | undefined;
}

/** The switch of a connector, and what owners can do with it. */
export function ConnectorActions({ connector, delivery }: ConnectorActionsProps) {
  const isOwner = useMay("owner");
  const refresh = useRefreshManifest(connector.id);
  const [dialog, setDialog] = useState<"rename" | "secret" | "undo" | "uninstall">();
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
      <EnabledSwitch connector={connector} waiting={delivery?.queued_messages ?? 0} />
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
      <RenameDialog connector={connector} opened={dialog === "rename"} onClose={close} />
      <ReplaceSecretDialog connector={connector} opened={dialog === "secret"} onClose={close} />
      <Dialog opened={dialog === "undo"} onClose={close} title={`Undo what ${connector.name} wrote`}>
        <Suspense fallback={null}>
          {dialog === "undo" ? <UndoWrites connector={connector} onClose={close} /> : null}
        </Suspense>
      </Dialog>
      <UninstallDialog connector={connector} delivery={delivery} opened={dialog === "uninstall"} onClose={close} />
    </>
  );
}
