import { Tabs } from "@mantine/core";
import { type ComponentType, lazy, Suspense } from "react";
import { Page } from "../../ui/page/page.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { SETTINGS_PAGES, type SettingsTab } from "./settings-pages.js";

const PARTS: Record<SettingsTab, ComponentType> = {
  organization: lazy(() => import("./organization/organization-part.js")),
  members: lazy(() => import("./members/members-part.js")),
  account: lazy(() => import("./account/account-part.js")),
  credentials: lazy(() => import("./credentials/credentials-part.js")),
  purposes: lazy(() => import("./purposes/purposes-part.js")),
  retention: lazy(() => import("./retention/retention-part.js")),
  health: lazy(() => import("./health/health-part.js")),
  audit: lazy(() => import("./audit/audit-part.js")),
  api: lazy(() => import("./api/api-part.js")),
};

export function SettingsScreen() {
  const [tab, setTab] = useUrlState("tab", "organization");
  return (
    <Page title="Settings">
      <Tabs value={tab} onChange={(value) => setTab(value ?? undefined)} keepMounted={false}>
        <Tabs.List>
          {SETTINGS_PAGES.map(({ tab: value, name }) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {SETTINGS_PAGES.map(({ tab: value }) => {
          const Part = PARTS[value];
          return (
            <Tabs.Panel key={value} value={value} pt="md">
              <Suspense fallback={<PageSkeleton />}>
                <Part />
              </Suspense>
            </Tabs.Panel>
          );
        })}
      </Tabs>
    </Page>
  );
}
