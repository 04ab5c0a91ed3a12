import { useNavigate } from "@tanstack/react-router";
import { useInstallConnector } from "../../../api/connectors/use-connectors.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { notifyWhenDone } from "../../../ui/notes/notify-done.js";

/** Installs a connector and opens its settings, which are what somebody does next. */
export function useInstall() {
  const { id: org } = useOrganization();
  const install = useInstallConnector();
  const navigate = useNavigate();
  // Somebody who has left the gallery meanwhile stays where they are.
  const open = ({ id }: { id: string }) =>
    void navigate({ to: "/o/$org/connectors/$id", params: { org, id }, search: { tab: "settings" } });
  const start = (url: string) =>
    notifyWhenDone(install.mutateAsync(url, { onSuccess: open }), ({ name }) => `${name} is installed`);
  return { ...install, start };
}
