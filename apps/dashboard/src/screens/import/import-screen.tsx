import { Tabs } from "@mantine/core";
import { Page } from "../../ui/page/page.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { ExportTab } from "./export-tab.js";
import { ImportTab } from "./import-tab.js";
import { JobsTab } from "./jobs-tab.js";

const TABS = ["import", "export", "jobs"];

/** Files in and out: an import that says what will happen, extracts, and all jobs with their progress. */
export function ImportScreen() {
  const [given, setTab] = useUrlState("tab", "import");
  const tab = TABS.includes(given) ? given : "import";
  return (
    <Page title="Import & export">
      <Tabs value={tab} onChange={(value) => setTab(value ?? undefined)} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="import">Import</Tabs.Tab>
          <Tabs.Tab value="export">Export</Tabs.Tab>
          <Tabs.Tab value="jobs">Jobs</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="import">
          <ImportTab />
        </Tabs.Panel>
        <Tabs.Panel value="export">
          <ExportTab />
        </Tabs.Panel>
        <Tabs.Panel value="jobs">
          <JobsTab />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
