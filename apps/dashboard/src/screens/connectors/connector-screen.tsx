import { Group, Tabs, Tooltip } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, Suspense, useState } from "react";
import { useConnector } from "../../api/connectors/use-connectors.js";
import { useDelivery } from "../../api/deliveries/use-deliveries.js";
import { usePurposes } from "../../api/organization/use-purposes.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { ConnectorPicture } from "../../settings-form/connector-image.js";
import { Page } from "../../ui/page/page.js";
import { ScreenError } from "../../ui/page/screen-error.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { StatusDot } from "../../ui/text/status-dot.js";
import { connectorState } from "./connector-state.js";
import { CONNECTOR_TABS } from "./connector-tabs.js";
import { ConnectorActions } from "./frame/connector-actions.js";
import { type OwnPage, ownPages } from "./pages/own-pages.js";
import { logoOf } from "./pictures.js";

const OverviewTab = lazyPart(CONNECTOR_TABS.overview, "OverviewTab");
const LogsTab = lazyPart(CONNECTOR_TABS.logs, "LogsTab");
const DeliveriesTab = lazyPart(CONNECTOR_TABS.deliveries, "DeliveriesTab");
const ProcessorTab = lazyPart(CONNECTOR_TABS.processor, "ProcessorTab");
const MappingTab = lazyPart(CONNECTOR_TABS.mapping, "MappingTab");
const SettingsTab = lazyPart(CONNECTOR_TABS.settings, "SettingsTab");
const KeysTab = lazyPart(CONNECTOR_TABS.keys, "KeysTab");
const OwnPageTab = lazyPart(() => import("./pages/own-page-tab.js"), "OwnPageTab");
const ReadmeTab = lazyPart(CONNECTOR_TABS.readme, "ReadmeTab");

const EDITOR = "Editor";

interface ConnectorTab {
  value: string;
  title: string;
  content: ReactNode;
  /** Why it cannot be opened yet. */
  isLocked?: boolean;
}

/** One connector: is it working, what did it do, how is it set up? */
export function ConnectorScreen() {
  const { id = "" } = useParams({ strict: false });
  const { id: org } = useOrganization();
  const { data: connector, error, refetch } = useConnector(id);
  const { data: delivery } = useDelivery(id);
  const { data: purposes = [] } = usePurposes();
  if (!connector) {
    return (
      <Page title="Connector">
        {error ? (
          <ScreenError
            error={error}
            onRetry={() => void refetch()}
            noun="connector"
            list={{ href: `/o/${org}/connectors`, name: "All connectors" }}
          />
        ) : (
          <PageSkeleton />
        )}
      </Page>
    );
  }
  const { status, sentence } = connectorState(connector, delivery);
  const isUnlimited = connector.source_url !== null && purposes.length > 0 && connector.purposes.length === 0;
  return (
    <Page
      title={connector.name}
      picture={<ConnectorPicture owner={{ connectorId: id }} src={logoOf(connector.manifest)} name={connector.name} />}
      beside={
        <Group gap="md">
          <StatusDot status={status}>{sentence}</StatusDot>
          {isUnlimited ? <StatusDot status="unknown">Serves no purpose: is told about everybody</StatusDot> : null}
        </Group>
      }
      actions={<ConnectorActions connector={connector} delivery={delivery} />}
    >
      <ConnectorTabs key={id} connector={connector} />
    </Page>
  );
}

function ConnectorTabs({ connector }: { connector: Connector }) {
  const tabs = tabsOf(connector);
  const [first] = useState(() => firstTab(connector));
  const [tab, setTab] = useUrlState("tab", first);
  return (
    <Tabs value={tab} onChange={(value) => setTab(value ?? undefined)} keepMounted={false}>
      <Tabs.List>
        {tabs.map(({ value, title, isLocked = false }) => (
          <Tooltip key={value} label="Not available yet: the connector must be set up first." disabled={!isLocked}>
            <Tabs.Tab value={value} disabled={isLocked}>
              {title}
            </Tabs.Tab>
          </Tooltip>
        ))}
      </Tabs.List>
      {tabs.map(({ value, content }) => (
        <Tabs.Panel key={value} value={value} pt="md">
          <Suspense fallback={<PageSkeleton />}>{content}</Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function tabsOf(connector: Connector): ConnectorTab[] {
  const { id } = connector;
  const hasEditor = isProcessor(connector);
  // The processor also serves an editor of its own, for use without this dashboard. Two tabs of one name confuse.
  const pages = ownPages(connector.manifest).filter(({ title }) => !(hasEditor && title === EDITOR));
  const isLocked = connector.status.status === "setupRequired";
  const tabsFor = (purpose: OwnPage["purpose"]) =>
    pages
      .filter((page) => page.purpose === purpose)
      .map((page) => ({
        value: tabOf(page),
        title: page.title,
        content: <OwnPageTab connector={connector} page={page} />,
        isLocked: isLocked && purpose === "workspace",
      }));
  return [
    { value: "overview", title: "Overview", content: <OverviewTab connectorId={id} /> },
    ...tabsFor("workspace"),
    { value: "settings", title: "Settings", content: <SettingsTab connector={connector} /> },
    ...(isDestination(connector)
      ? [{ value: "mapping", title: "Mapping", content: <MappingTab connector={connector} /> }]
      : []),
    ...tabsFor("setup"),
    { value: "keys", title: "Write keys", content: <KeysTab connector={connector} /> },
    ...(hasEditor ? [{ value: "processor", title: EDITOR, content: <ProcessorTab connectorId={id} /> }] : []),
    { value: "logs", title: "Logs", content: <LogsTab connectorId={id} /> },
    { value: "deliveries", title: "Deliveries", content: <DeliveriesTab connectorId={id} /> },
    ...tabsFor(undefined),
    { value: "readme", title: "Readme", content: <ReadmeTab connector={connector} /> },
  ];
}

/** Somebody who comes to a connector that must be set up comes to set it up, on its own page when it has one for that. */
function firstTab({ status, manifest }: Connector): string {
  if (status.status !== "setupRequired") return "overview";
  const setup = ownPages(manifest).find(({ purpose }) => purpose === "setup");
  return setup ? tabOf(setup) : "settings";
}

function tabOf({ url }: OwnPage): string {
  return `page:${url}`;
}

/** Whether the connector is one of the destinations: then its mappings have a form. */
function isDestination({ manifest }: Connector): boolean {
  return Array.isArray(manifest.tags) && manifest.tags.includes("destination");
}

/** Whether the connector runs a script for users: then the editor can try it. */
function isProcessor({ manifest }: Connector): boolean {
  const settings = Array.isArray(manifest.private_settings) ? manifest.private_settings : [];
  return settings.some((setting: unknown) => (setting as { name?: unknown } | null)?.name === "user_code");
}
