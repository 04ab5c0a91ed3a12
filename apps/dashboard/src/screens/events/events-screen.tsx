import { Tabs } from "@mantine/core";
import { Page } from "../../ui/page/page.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import classes from "./events-screen.module.css";
import { HistoryTab } from "./history/history-tab.js";
import { LiveTab } from "./live/live-tab.js";
import { NamesTab } from "./names/names-tab.js";
import { RefusedTab } from "./refused/refused-tab.js";
import { useResetOnTab } from "./use-reset-on-tab.js";

/** What is arriving, what was recorded, and what could not be applied. */
export function EventsScreen() {
  const [tab] = useUrlState("tab", "live");
  const open = useResetOnTab();
  return (
    <Page title="Events" fills>
      <Tabs value={tab} onChange={(value) => open(value ?? "live")} keepMounted={false} className={classes.tabs ?? ""}>
        <Tabs.List>
          <Tabs.Tab value="live">Live</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
          <Tabs.Tab value="names">Names</Tabs.Tab>
          <Tabs.Tab value="refused">Refused</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="live" className={classes.panel ?? ""}>
          <LiveTab />
        </Tabs.Panel>
        <Tabs.Panel value="history" className={classes.panel ?? ""}>
          <HistoryTab />
        </Tabs.Panel>
        <Tabs.Panel value="names" className={classes.panel ?? ""}>
          <NamesTab />
        </Tabs.Panel>
        <Tabs.Panel value="refused" className={classes.panel ?? ""}>
          <RefusedTab />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
