import { useNavigate } from "@tanstack/react-router";
import { useInstallConnector } from "../../../api/connectors/use-connectors.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";

/** Installs a connector and opens its settings, which are what somebody does next. */
export function useInstall() {
  const { id: org } = useOrganization();
  const install = useInstallConnector();
  const navigate = useNavigate();
  // Somebody who has left the gallery meanwhile stays where they are: the callbacks of `mutate` are not called then.
  const start = (url: string) =>
    void install
      .mutateAsync(url, {
        onSuccess: ({ id }) =>
          void navigate({ to: "/o/$org/connectors/$id", params: { org, id }, search: { tab: "settings" } }),
      })
      .then(
        ({ name }) => notifyDone(`${name} is installed`),
        () => undefined,
      );
  return { ...install, start };
}
