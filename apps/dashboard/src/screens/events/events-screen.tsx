import { Tabs } from "@mantine/core";
import { Suspense } from "react";
import { Page } from "../../ui/page/page.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { EVENT_TABS } from "./event-tabs.js";
import classes from "./events-screen.module.css";
import { LiveTab } from "./live/live-tab.js";
import { useResetOnTab } from "./use-reset-on-tab.js";

const HistoryTab = lazyPart(EVENT_TABS.history, "HistoryTab");
const NamesTab = lazyPart(EVENT_TABS.names, "NamesTab");
const RefusedTab = lazyPart(EVENT_TABS.refused, "RefusedTab");

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
          <Suspense fallback={<PageSkeleton />}>
            <HistoryTab />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="names" className={classes.panel ?? ""}>
          <Suspense fallback={<PageSkeleton />}>
            <NamesTab />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="refused" className={classes.panel ?? ""}>
          <Suspense fallback={<PageSkeleton />}>
            <RefusedTab />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
