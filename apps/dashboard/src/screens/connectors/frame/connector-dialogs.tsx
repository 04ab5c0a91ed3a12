import type { Connector } from "@muster/protocol/api/connectors";
import type { Delivery } from "@muster/protocol/api/deliveries";
import { Suspense } from "react";
import { Dialog } from "../../../ui/notes/dialog.js";
import { lazyPart } from "../../../ui/state/lazy-part.js";
import { RenameDialog } from "./rename-dialog.js";
import { ReplaceSecretDialog } from "./replace-secret-dialog.js";
import { UninstallDialog } from "./uninstall-dialog.js";

const UndoWrites = lazyPart(() => import("./undo-writes.js"), "default");

/** Those that the actions of a connector open. */
export type ConnectorDialog = "rename" | "secret" | "undo" | "uninstall";

interface ConnectorDialogsProps {
  connector: Connector;
  delivery: Delivery | undefined;
  opened: ConnectorDialog | undefined;
  onClose: () => void;
}

export function ConnectorDialogs({ connector, delivery, opened, onClose }: ConnectorDialogsProps) {
  return (
    <>
      <RenameDialog connector={connector} opened={opened === "rename"} onClose={onClose} />
      <ReplaceSecretDialog connector={connector} opened={opened === "secret"} onClose={onClose} />
      <Dialog opened={opened === "undo"} onClose={onClose} title={`Undo what ${connector.name} wrote`}>
        <Suspense fallback={null}>
          {opened === "undo" ? <UndoWrites connector={connector} onClose={onClose} /> : null}
        </Suspense>
      </Dialog>
      <UninstallDialog connector={connector} delivery={delivery} opened={opened === "uninstall"} onClose={onClose} />
    </>
  );
}
