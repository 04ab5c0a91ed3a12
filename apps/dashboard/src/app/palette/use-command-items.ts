import { useMantineColorScheme } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { send } from "../../api/client.js";
import { useMay, useOrganization } from "../../api/session/use-organization.js";
import { useSession } from "../../api/session/use-session.js";
import { notifyFailed } from "../../ui/notes/notify-done.js";
import { helpRequest, newOrganizationRequest } from "../requests.js";
import type { PaletteItem } from "./palette-item.js";

/** What the palette can do. A person sees what their role allows. */
export function useCommandItems(): PaletteItem[] {
  const { id: org } = useOrganization();
  const { data: session } = useSession();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const mayEdit = useMay("editor");
  const isOwner = useMay("owner");
  const go = (address: string) => () => void navigate({ href: address });
  const goTo = (path: string) => go(`/o/${org}${path}`);
  const ofEditors: PaletteItem[] = [
    { id: "new-segment", label: "New segment", keywords: "create add users", run: goTo("/segments/new") },
    {
      id: "new-account-segment",
      label: "New segment of accounts",
      keywords: "create add",
      run: goTo("/segments/new?of=account"),
    },
    { id: "import", label: "Import a file", keywords: "csv upload", run: goTo("/import") },
    { id: "export", label: "Export a file", keywords: "csv download extract", run: goTo("/import?tab=export") },
    { id: "define", label: "Define an attribute", keywords: "create add new", run: goTo("/attributes?define=1") },
  ];
  const ofOwners: PaletteItem[] = [
    {
      id: "install",
      label: "Install a connector",
      keywords: "add new gallery webhook",
      run: goTo("/connectors?view=gallery"),
    },
    {
      id: "new-source",
      label: "Add a source",
      keywords: "new create write key sdk analytics curl send data",
      run: goTo("/connectors?new=source"),
    },
    {
      id: "new-platform",
      label: "New platform",
      keywords: "create add website snippet",
      run: goTo("/platforms?new=1"),
    },
    { id: "invite", label: "Invite somebody", keywords: "member add people", run: goTo("/settings?tab=members") },
    {
      id: "new-credentials",
      label: "Create credentials",
      keywords: "api key token new",
      run: goTo("/settings?tab=credentials"),
    },
  ];
  return [
    ...(mayEdit ? ofEditors : []),
    ...(isOwner ? ofOwners : []),
    ...(session?.is_operator
      ? [
          {
            id: "new-organization",
            label: "New organization",
            keywords: "create add",
            run: newOrganizationRequest.send,
          },
        ]
      : []),
    { id: "refused", label: "Look at refused records", keywords: "rejected errors", run: goTo("/events?tab=refused") },
    { id: "jobs", label: "Look at jobs", keywords: "imports exports progress", run: goTo("/import?tab=jobs") },
    { id: "light", label: "Use light colours", keywords: "theme", run: () => setColorScheme("light") },
    { id: "dark", label: "Use dark colours", keywords: "theme", run: () => setColorScheme("dark") },
    { id: "auto", label: "Use the colours of the system", keywords: "theme", run: () => setColorScheme("auto") },
    { id: "shortcuts", label: "Show the keyboard shortcuts", keywords: "help keys ?", run: helpRequest.send },
    { id: "guide", label: "Read the guide", keywords: "docs help", run: () => window.open("/guide", "_blank") },
    { id: "api", label: "Read the API reference", keywords: "docs", run: () => window.open("/docs", "_blank") },
    { id: "sign-out", label: "Sign out", keywords: "leave log", run: () => void signOut() },
    ...(session?.organizations ?? [])
      .filter(({ id }) => id !== org)
      .map(({ id, name }) => ({ id, label: `Switch to ${name}`, keywords: "organization", run: go(`/o/${id}`) })),
  ];
}

async function signOut(): Promise<void> {
  try {
    await send("/api/v1/session", { method: "DELETE" });
    window.location.assign("/sign-in");
  } catch (error) {
    notifyFailed(error);
  }
}
