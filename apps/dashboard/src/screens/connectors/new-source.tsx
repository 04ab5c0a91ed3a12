import { useNavigate } from "@tanstack/react-router";
import { useCreateConnector } from "../../api/connectors/use-connectors.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { NameDialog } from "../../ui/notes/name-dialog.js";

/** Creates a connector without a manifest, and leads to its write key. */
export function NewSource({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { id: org } = useOrganization();
  const navigate = useNavigate();
  const create = useCreateConnector();
  return (
    <NameDialog
      title="Add a source"
      description="What sends data, such as a website, an app or a server. It gets a write key, with which one line of curl or a public analytics SDK can send users and events."
      saveLabel="Add source"
      opened={opened}
      onClose={onClose}
      onSave={async (name) => {
        const { id } = await create.mutateAsync(name);
        await navigate({ to: "/o/$org/connectors/$id", params: { org, id }, search: { tab: "keys" } });
      }}
    />
  );
}
