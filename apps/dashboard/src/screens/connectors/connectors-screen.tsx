import { Button, Tabs, Tooltip } from "@mantine/core";
import { useMay } from "../../api/session/use-organization.js";
import { Page } from "../../ui/page/page.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { Gallery } from "./gallery/gallery.js";
import { InstalledConnectors } from "./installed/installed-connectors.js";
import { NewSource } from "./new-source.js";

/** The connectors of the organization, and those that can be installed. */
export function ConnectorsScreen() {
  const [view, setView] = useUrlState("view", "installed");
  const [created, setCreated] = useUrlState("new");
  const isOwner = useMay("owner");
  const addSource = (
    <Tooltip label="Only owners can add a source." disabled={isOwner}>
      <Button variant="default" disabled={!isOwner} onClick={() => setCreated("source")}>
        Add a source
      </Button>
    </Tooltip>
  );
  return (
    <Page
      title="Connectors"
      actions={
        <>
          {addSource}
          {view === "installed" ? <Button onClick={() => setView("gallery")}>Install a connector</Button> : null}
        </>
      }
    >
      <Tabs value={view} onChange={(value) => setView(value ?? undefined)} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="installed">Installed</Tabs.Tab>
          <Tabs.Tab value="gallery">Gallery</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="installed" pt="md">
          <InstalledConnectors onInstall={() => setView("gallery")} />
        </Tabs.Panel>
        <Tabs.Panel value="gallery" pt="md">
          <Gallery />
        </Tabs.Panel>
      </Tabs>
      <NewSource opened={created === "source" && isOwner} onClose={() => setCreated(undefined)} />
    </Page>
  );
}
