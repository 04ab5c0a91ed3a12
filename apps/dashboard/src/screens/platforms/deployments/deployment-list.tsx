import { Button, Group, Stack, Text, Title, Tooltip } from "@mantine/core";
import type { Deployment, ListedPlatform } from "@muster/protocol/api/platforms";
import { PlusIcon } from "@primer/octicons-react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useDeployments, usePlatformChanges } from "../../../api/organization/use-platforms.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { OWNERS_ONLY } from "../owners-only.js";
import classes from "../platform-screen.module.css";
import { DeploymentForm } from "./deployment-form.js";
import { placementSentence, readPlacement } from "./placement.js";

/** The connectors on the pages of a platform. */
export function DeploymentList({ platform, mayChange }: { platform: ListedPlatform; mayChange: boolean }) {
  const { id: org } = useOrganization();
  const { data, error, refetch } = useDeployments(platform.id);
  const { remove } = usePlatformChanges();
  const [edited, setEdited] = useUrlState("deployment");
  const [leaving, setLeaving] = useState<Deployment>();
  return (
    <Stack component="section" gap="sm" aria-label="Connectors on its pages">
      <Group justify="space-between">
        <Title order={2}>Connectors on its pages</Title>
        <Tooltip label={OWNERS_ONLY} disabled={mayChange}>
          <Button
            variant="default"
            leftSection={<PlusIcon size={14} />}
            onClick={() => setEdited("new")}
            disabled={!mayChange}
          >
            Deploy a connector
          </Button>
        </Tooltip>
      </Group>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data?.length === 0 ? (
        <Text c="dimmed">
          No connector is embedded in the pages of this platform. Connectors with a script for web pages can be.
        </Text>
      ) : null}
      <ul className={classes.list}>
        {data?.map((deployment) => (
          <li key={deployment.id} className={classes.row}>
            <div className={classes.grow}>
              <Link to="/o/$org/connectors/$id" params={{ org, id: deployment.ship.id }} className={classes.name}>
                {deployment.ship.name}
              </Link>
              <Text c="dimmed">{placementSentence(readPlacement(deployment.settings))}</Text>
              {deployment.ship.index === null ? (
                <Text c="var(--late)">It has no script for web pages, so nothing is shown.</Text>
              ) : null}
            </div>
            <Button
              variant="default"
              onClick={() => setEdited(deployment.id)}
              disabled={!mayChange}
              aria-label={`Edit ${deployment.ship.name}`}
            >
              Edit
            </Button>
            <Button
              variant="default"
              onClick={() => setLeaving(deployment)}
              disabled={!mayChange}
              aria-label={`Remove ${deployment.ship.name}`}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <DeploymentForm
        key={edited}
        platform={platform}
        deployment={data?.find(({ id }) => id === edited)}
        isOpen={mayChange && (edited === "new" || data?.some(({ id }) => id === edited) === true)}
        onClose={() => setEdited(undefined)}
      />
      <ConfirmDialog
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={`Remove ${leaving?.ship.name ?? ""} from ${platform.name}`}
        action="Remove connector"
        onConfirm={async () => {
          if (!leaving) return;
          await remove(leaving.id);
          notifyDone(`${leaving.ship.name} is removed from ${platform.name}`);
        }}
      >
        Pages that are opened from now on show it no more; a browser may remember it for a minute. The settings of this
        placement are lost. The connector itself stays installed and keeps getting messages.
      </ConfirmDialog>
    </Stack>
  );
}
