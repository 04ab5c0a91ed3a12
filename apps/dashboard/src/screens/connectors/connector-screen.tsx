import { Tabs } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import { useParams } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useConnector } from "../../api/connectors/use-connectors.js";
import { useDeliveryStates } from "../../api/deliveries/use-delivery-states.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { Page } from "../../ui/page/page.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { StatusDot } from "../../ui/text/status-dot.js";
import { connectorState } from "./connector-state.js";
import { ConnectorActions } from "./frame/connector-actions.js";
import { ownPages } from "./pages/own-pages.js";

const OverviewTab = lazy(() => import("./overview/overview-tab.js").then((file) => ({ default: file.OverviewTab })));
const LogsTab = lazy(() => import("./logs/logs-tab.js").then((file) => ({ default: file.LogsTab })));
const DeliveriesTab = lazy(() =>
  import("./deliveries/deliveries-tab.js").then((file) => ({ default: file.DeliveriesTab })),
);
const ProcessorTab = lazy(() =>
  import("./processor/processor-tab.js").then((file) => ({ default: file.ProcessorTab })),
);
const SettingsTab = lazy(() => import("./settings/settings-tab.js").then((file) => ({ default: file.SettingsTab })));
const OwnPageTab = lazy(() => import("./pages/own-page-tab.js").then((file) => ({ default: file.OwnPageTab })));
const ReadmeTab = lazy(() => import("./readme/readme-tab.js").then((file) => ({ default: file.ReadmeTab })));

const EDITOR = "Editor";

interface ConnectorTab {
  value: string;
  title: string;
  content: ReactNode;
}

/** One connector: is it working, what did it do, how is it set up? */
export function ConnectorScreen() {
  const { id = "" } = useParams({ strict: false });
  const { data: connector, error, refetch } = useConnector(id);
  const { data: deliveries } = useDeliveryStates();
  if (!connector) {
    return <Page title="Connector">{error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}</Page>;
  }
  const delivery = deliveries?.get(id);
  const { status, sentence } = connectorState(connector, delivery);
  return (
    <Page
      title={connector.name}
      beside={<StatusDot status={status}>{sentence}</StatusDot>}
      actions={<ConnectorActions connector={connector} delivery={delivery} />}
    >
      <ConnectorTabs key={id} connector={connector} />
    </Page>
  );
}

function ConnectorTabs({ connector }: { connector: Connector }) {
  const tabs = tabsOf(connector);
  // Somebody who comes to a connector that must be set up comes to set it up.
  const [first] = useState(connector.status.status === "setupRequired" ? "settings" : "overview");
  const [tab, setTab] = useUrlState("tab", first);
  return (
    <Tabs value={tab} onChange={(value) => setTab(value ?? undefined)} keepMounted={false}>
      <Tabs.List>
        {tabs.map(({ value, title }) => (
          <Tabs.Tab key={value} value={value}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, content }) => (
        <Tabs.Panel key={value} value={value} pt="md">
          <Suspense fallback={null}>{content}</Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function tabsOf(connector: Connector): ConnectorTab[] {
  const { id } = connector;
  const pages = ownPages(connector.manifest);
  const hasEditor = isProcessor(connector);
  return [
    { value: "overview", title: "Overview", content: <OverviewTab connectorId={id} /> },
    { value: "settings", title: "Settings", content: <SettingsTab connector={connector} /> },
    ...(hasEditor ? [{ value: "processor", title: EDITOR, content: <ProcessorTab connectorId={id} /> }] : []),
    { value: "logs", title: "Logs", content: <LogsTab connectorId={id} /> },
    { value: "deliveries", title: "Deliveries", content: <DeliveriesTab connectorId={id} /> },
    // The processor also serves an editor of its own, for use without this dashboard. Two tabs of one name confuse.
    ...pages
      .filter(({ title }) => !(hasEditor && title === EDITOR))
      .map((page) => ({
        value: `page:${page.url}`,
        title: page.title,
        content: <OwnPageTab connector={connector} page={page} />,
      })),
    { value: "readme", title: "Readme", content: <ReadmeTab connector={connector} /> },
  ];
}

/** Whether the connector runs a script for users: then the editor can try it. */
function isProcessor({ manifest }: Connector): boolean {
  const settings = Array.isArray(manifest.private_settings) ? manifest.private_settings : [];
  return settings.some((setting: unknown) => (setting as { name?: unknown } | null)?.name === "user_code");
}
