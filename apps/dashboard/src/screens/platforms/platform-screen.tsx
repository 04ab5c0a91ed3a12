import { Button, Text, Tooltip } from "@mantine/core";
import { DAY_MS } from "@muster/protocol";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { usePlatformChanges, usePlatforms } from "../../api/organization/use-platforms.js";
import { useMay, useOrganization } from "../../api/session/use-organization.js";
import { ConfirmDialog } from "../../ui/notes/confirm-dialog.js";
import { notifyDone } from "../../ui/notes/notify-done.js";
import { EmptyState } from "../../ui/page/empty-state.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { Page } from "../../ui/page/page.js";
import { type Status, StatusDot } from "../../ui/text/status-dot.js";
import { TimeText } from "../../ui/text/time-text.js";
import { DeploymentList } from "./deployments/deployment-list.js";
import { InstallPart } from "./install-part.js";
import { OWNERS_ONLY } from "./owners-only.js";
import classes from "./platform-screen.module.css";
import { PlatformSettings } from "./platform-settings.js";

/** One platform: how to install it, who may use it, and the connectors on its pages. */
export function PlatformScreen() {
  const { id: org } = useOrganization();
  const { id = "" } = useParams({ strict: false });
  const { data, error, refetch } = usePlatforms();
  const { remove } = usePlatformChanges();
  const mayChange = useMay("owner");
  const navigate = useNavigate();
  const [isRemoving, setRemoving] = useState(false);
  const platform = data?.find((each) => each.id === id);
  if (!platform) {
    return (
      <Page title="Platform">
        {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
        {data ? <EmptyState title="There is no such platform">It may have been deleted.</EmptyState> : null}
      </Page>
    );
  }
  const { name, last_record_at } = platform;
  return (
    <Page
      title={name}
      beside={
        <StatusDot status={last_record_at ? statusOf(last_record_at) : "unknown"}>
          {last_record_at ? (
            <>
              last record <TimeText time={last_record_at} />
            </>
          ) : (
            "no record yet"
          )}
        </StatusDot>
      }
      actions={
        <Tooltip label={OWNERS_ONLY} disabled={mayChange}>
          <Button variant="default" onClick={() => setRemoving(true)} disabled={!mayChange}>
            Delete platform
          </Button>
        </Tooltip>
      }
    >
      <div className={classes.parts}>
        <InstallPart platform={platform} />
        <PlatformSettings platform={platform} mayChange={mayChange} />
        <DeploymentList platform={platform} mayChange={mayChange} />
      </div>
      <ConfirmDialog
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Delete ${name}`}
        action="Delete platform"
        typeToConfirm={name}
        onConfirm={async () => {
          await remove(id);
          await navigate({ to: "/o/$org/platforms", params: { org } });
          notifyDone(`${name} is deleted`);
        }}
      >
        <Text>
          Pages with its script tag stop sending records at once, and the connectors on them disappear. Users and events
          that came from it stay. A platform cannot be brought back: a new one has another id and another script tag.
        </Text>
      </ConfirmDialog>
    </Page>
  );
}

/** A site that sent something within a day is alive. */
function statusOf(time: string): Status {
  return Date.now() - Date.parse(time) < DAY_MS ? "good" : "late";
}
