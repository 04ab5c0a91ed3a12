import { Tabs } from "@mantine/core";
import { type ComponentType, lazy, Suspense } from "react";
import { Page } from "../../ui/page/page.js";
import { useUrlState } from "../../ui/state/use-url-state.js";

/** The parts of the settings, each in the address as `?tab=`. */
const PARTS: readonly { tab: string; name: string; part: ComponentType }[] = [
  { tab: "organization", name: "Organization", part: lazy(() => import("./organization/organization-part.js")) },
  { tab: "members", name: "Members", part: lazy(() => import("./members/members-part.js")) },
  { tab: "account", name: "Your account", part: lazy(() => import("./account/account-part.js")) },
  { tab: "credentials", name: "Credentials", part: lazy(() => import("./credentials/credentials-part.js")) },
  { tab: "retention", name: "Retention", part: lazy(() => import("./retention/retention-part.js")) },
  { tab: "health", name: "Health", part: lazy(() => import("./health/health-part.js")) },
  { tab: "audit", name: "Audit log", part: lazy(() => import("./audit/audit-part.js")) },
  { tab: "api", name: "API", part: lazy(() => import("./api/api-part.js")) },
];

export function SettingsScreen() {
  const [tab, setTab] = useUrlState("tab", "organization");
  return (
    <Page title="Settings">
      <Tabs value={tab} onChange={(value) => setTab(value ?? undefined)} keepMounted={false}>
        <Tabs.List>
          {PARTS.map(({ tab: value, name }) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {PARTS.map(({ tab: value, part: Part }) => (
          <Tabs.Panel key={value} value={value} pt="md">
            <Suspense fallback={null}>
              <Part />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
