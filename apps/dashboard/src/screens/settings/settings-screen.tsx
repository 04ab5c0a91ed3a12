import { Tabs } from "@mantine/core";
import { type ComponentType, Suspense } from "react";
import { Page } from "../../ui/page/page.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { SETTINGS_FILES } from "./settings-files.js";
import { SETTINGS_PAGES, type SettingsTab } from "./settings-pages.js";

const PARTS: Record<SettingsTab, ComponentType> = {
  organization: lazyPart(SETTINGS_FILES.organization, "default"),
  members: lazyPart(SETTINGS_FILES.members, "default"),
  account: lazyPart(SETTINGS_FILES.account, "default"),
  credentials: lazyPart(SETTINGS_FILES.credentials, "default"),
  purposes: lazyPart(SETTINGS_FILES.purposes, "default"),
  apart: lazyPart(SETTINGS_FILES.apart, "default"),
  retention: lazyPart(SETTINGS_FILES.retention, "default"),
  health: lazyPart(SETTINGS_FILES.health, "default"),
  audit: lazyPart(SETTINGS_FILES.audit, "default"),
  api: lazyPart(SETTINGS_FILES.api, "default"),
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
