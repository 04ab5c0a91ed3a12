import type { Connector } from "@muster/protocol/api/connectors";
import { useUpdateConnector } from "../../../api/connectors/use-connectors.js";
import { NameDialog } from "../../../ui/notes/name-dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";

interface RenameDialogProps {
  connector: Connector;
  opened: boolean;
  onClose: () => void;
}

/** Gives a connector another name, so that two of a kind can be told apart. */
export function RenameDialog({ connector, opened, onClose }: RenameDialogProps) {
  const before = connector.name;
  const update = useUpdateConnector(connector.id);
  const save = async (name: string) => {
    await update.mutateAsync({ name });
    notifyDone(`The connector is now called ${name}`, () => update.mutateAsync({ name: before }));
  };
  return (
    <NameDialog
      title={`Rename ${before}`}
      saveLabel="Save name"
      before={before}
      opened={opened}
      onClose={onClose}
      onSave={save}
    />
  );
}
