import { useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { sizeOf, useSegments } from "../../api/audience/use-segments.js";
import { answer, api, send } from "../../api/client.js";
import { useConnectors } from "../../api/connectors/use-connectors.js";
import { useMay, useOrganization } from "../../api/session/use-organization.js";
import { useSession } from "../../api/session/use-session.js";
import { notifyFailed } from "../../ui/notes/notify-done.js";
import { formatCount } from "../../ui/text/format.js";
import { SCREENS } from "../screens.js";
import { matchItems, type PaletteItem } from "./palette-item.js";

/** What a text finds besides users and accounts. Without a text: the screens and commands. */
export function usePaletteItems(text: string): { name: string; items: PaletteItem[] }[] {
  const named = [
    { name: "Segments", items: useSegmentItems() },
    { name: "Connectors", items: useConnectorItems() },
    { name: "Attributes", items: useAttributeItems() },
  ];
  const fixed = [
    { name: "Screens", items: useScreenItems(), shown: SCREENS.length },
    { name: "Commands", items: useCommandItems(), shown: 12 },
  ];
  return [
    ...(text === "" ? [] : named.map(({ name, items }) => ({ name, items: matchItems(items, text) }))),
    ...fixed.map(({ name, items, shown }) => ({ name, items: matchItems(items, text, shown) })),
  ];
}

function useScreenItems(): PaletteItem[] {
  const { id: org } = useOrganization();
  const navigate = useNavigate();
  return SCREENS.map(({ path, name }) => ({
    id: path,
    label: name,
    keywords: "go to open screen",
    run: () => void navigate({ to: path, params: { org } }),
  }));
}

function useSegmentItems(): PaletteItem[] {
  const { id: org } = useOrganization();
  const navigate = useNavigate();
  const { data } = useSegments({ isLive: false });
  return (data ?? []).map(({ id, name, type, stats }) => ({
    id,
    label: name,
    description: formatCount(sizeOf({ stats }), type === "accounts_segment" ? "account" : "user"),
    run: () => void navigate({ to: "/o/$org/segments/$id", params: { org, id } }),
  }));
}

function useConnectorItems(): PaletteItem[] {
  const { id: org } = useOrganization();
  const navigate = useNavigate();
  const { data } = useConnectors();
  return (data ?? []).map(({ id, name }) => ({
    id,
    label: name,
    run: () => void navigate({ to: "/o/$org/connectors/$id", params: { org, id } }),
  }));
}

function useAttributeItems(): PaletteItem[] {
  const { id: org } = useOrganization();
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: [org, "palette-attributes"],
    queryFn: async ({ signal }) => {
      const [users, accounts] = await Promise.all([
        answer(api.GET("/api/v1/settings/user_traits", { signal })),
        answer(api.GET("/api/v1/settings/account_traits", { signal })),
      ]);
      return [
        ...users.map(({ name, type }) => ({ name, type, of: "users" })),
        ...accounts.map(({ name, type }) => ({ name, type, of: "accounts" })),
      ];
    },
    staleTime: 10_000,
  });
  return (data ?? []).map(({ name, type, of }) => ({
    id: `${of} ${name}`,
    label: name,
    description: `${type}, of ${of}`,
    run: () => void navigate({ href: `/o/${org}/attributes?tab=${of}&q=${encodeURIComponent(name)}` }),
  }));
}

function useCommandItems(): PaletteItem[] {
  const { id: org } = useOrganization();
  const { data: session } = useSession();
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const mayEdit = useMay("editor");
  const isOwner = useMay("owner");
  const go = (address: string) => () => void navigate({ href: address });
  return [
    ...(mayEdit
      ? [
          { id: "new-segment", label: "New segment", keywords: "create add", run: go(`/o/${org}/segments/new`) },
          { id: "import", label: "Import a file", keywords: "csv upload", run: go(`/o/${org}/import`) },
        ]
      : []),
    ...(isOwner
      ? [
          {
            id: "new-platform",
            label: "New platform",
            keywords: "create add website snippet",
            run: go(`/o/${org}/platforms?new=1`),
          },
        ]
      : []),
    { id: "light", label: "Use light colours", keywords: "theme", run: () => setColorScheme("light") },
    { id: "dark", label: "Use dark colours", keywords: "theme", run: () => setColorScheme("dark") },
    { id: "auto", label: "Use the colours of the system", keywords: "theme", run: () => setColorScheme("auto") },
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
