import { useNavigate } from "@tanstack/react-router";
import { useInstallConnector } from "../../../api/connectors/use-connectors.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";

/** Installs a connector and opens its settings, which are what somebody does next. */
export function useInstall() {
  const { id: org } = useOrganization();
  const install = useInstallConnector();
  const navigate = useNavigate();
  const start = (url: string) =>
    install.mutate(url, {
      onSuccess: ({ id, name }) => {
        notifyDone(`${name} is installed`);
        void navigate({ to: "/o/$org/connectors/$id", params: { org, id }, search: { tab: "settings" } });
      },
    });
  return { ...install, start };
}
