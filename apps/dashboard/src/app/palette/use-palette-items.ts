import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { sizeOf, useSegments } from "../../api/audience/use-segments.js";
import { answer, api } from "../../api/client.js";
import { useConnectors } from "../../api/connectors/use-connectors.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { SETTINGS_PAGES } from "../../screens/settings/settings-pages.js";
import { formatCount } from "../../ui/text/format.js";
import { SCREENS } from "../screens.js";
import { matchItems, type PaletteItem } from "./palette-item.js";
import { useCommandItems } from "./use-command-items.js";

/** What a text finds besides users and accounts. Without a text: the screens and commands. */
export function usePaletteItems(text: string): { name: string; items: PaletteItem[] }[] {
  const named = [
    { name: "Segments", items: useSegmentItems() },
    { name: "Connectors", items: useConnectorItems() },
    { name: "Attributes", items: useAttributeItems() },
  ];
  const fixed = [
    { name: "Screens", items: useScreenItems(), shown: SCREENS.length },
    { name: "Settings", items: useSettingsItems(), shown: SETTINGS_PAGES.length },
    { name: "Commands", items: useCommandItems(), shown: 30 },
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

function useSettingsItems(): PaletteItem[] {
  const { id: org } = useOrganization();
  const navigate = useNavigate();
  return SETTINGS_PAGES.map(({ tab, name, keywords }) => ({
    id: `settings ${tab}`,
    label: name === "Your account" ? name : `Settings: ${name}`,
    keywords: `settings open ${keywords}`,
    run: () => void navigate({ to: "/o/$org/settings", params: { org }, search: { tab } }),
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
