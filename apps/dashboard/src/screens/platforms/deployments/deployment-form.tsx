import { Select, Switch, TextInput } from "@mantine/core";
import type { Deployment, ListedPlatform } from "@muster/protocol/api/platforms";
import type { Settings } from "@muster/protocol/api/settings";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useConnectors } from "../../../api/connectors/use-connectors.js";
import { usePlatformChanges } from "../../../api/organization/use-platforms.js";
import { SaveForm } from "../../../ui/form/save-form.js";
import { Dialog } from "../../../ui/notes/dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";
import { OwnSettings } from "./own-settings.js";
import { PLACEMENTS, type Placement, readPlacement, writePlacement } from "./placement.js";
import { settingsIn } from "./settings-in.js";

interface DeploymentFormProps {
  platform: ListedPlatform;
  /** The one that is edited; undefined for a new one. */
  deployment: Deployment | undefined;
  isOpen: boolean;
  onClose: () => void;
}

/** Chooses a connector and where it goes on the pages of a platform. */
export function DeploymentForm({ platform, deployment, isOpen, onClose }: DeploymentFormProps) {
  const { deploy, changeDeployment } = usePlatformChanges();
  const { data: connectors } = useConnectors();
  const [connectorId, setConnectorId] = useState(deployment?.ship.id ?? null);
  const [placement, setPlacement] = useState<Placement>(readPlacement(deployment?.settings ?? {}));
  const [own, setOwn] = useState<Settings>({});
  const connector = connectors?.find(({ id }) => id === connectorId);
  const name = deployment?.ship.name ?? connector?.name ?? "The connector";
  const declared = settingsIn(deployment?.ship.manifest ?? connector?.manifest);
  const saving = useMutation({
    mutationFn: async (chosen: string) => {
      const settings = { ...own, ...writePlacement(placement) };
      if (deployment) await changeDeployment(deployment.id, settings);
      else await deploy(platform.id, chosen, settings);
    },
    onSuccess: () => {
      notifyDone(deployment ? `${name} is changed on ${platform.name}` : `${name} is on the pages of ${platform.name}`);
      onClose();
    },
  });
  return (
    <Dialog
      opened={isOpen}
      onClose={onClose}
      title={deployment ? `Edit ${name}` : "Deploy a connector"}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <SaveForm
        saveLabel={deployment ? "Save placement" : "Deploy connector"}
        onSave={() => connectorId !== null && saving.mutate(connectorId)}
        saving={saving}
        isDisabled={connectorId === null || placement.selector.trim() === ""}
        onCancel={onClose}
      >
        {deployment ? null : (
          <Select
            label="Connector"
            placeholder="Choose a connector"
            data={connectors?.map((each) => ({ value: each.id, label: each.name })) ?? []}
            value={connectorId}
            onChange={setConnectorId}
            searchable
            nothingFoundMessage="No connector has this name"
            required
            data-autofocus
          />
        )}
        <TextInput
          label="Element"
          description="A CSS selector, such as body or #banner."
          value={placement.selector}
          onChange={({ currentTarget }) => setPlacement({ ...placement, selector: currentTarget.value })}
          required
        />
        <Select
          label="Place"
          data={[...PLACEMENTS]}
          value={placement.placement}
          onChange={(value) => setPlacement({ ...placement, placement: value ?? "bottom" })}
          allowDeselect={false}
        />
        <Switch
          label="In every element that matches"
          description="Otherwise only in the first one."
          checked={placement.isMultiple}
          onChange={({ currentTarget }) => setPlacement({ ...placement, isMultiple: currentTarget.checked })}
        />
        <OwnSettings declared={declared} values={{ ...deployment?.settings, ...own }} onChange={setOwn} changed={own} />
      </SaveForm>
    </Dialog>
  );
}
