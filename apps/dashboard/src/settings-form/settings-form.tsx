import type { Connector } from "@muster/protocol/api/connectors";
import { useCallback, useMemo, useRef, useState } from "react";
import { ApiError } from "../api/api-error.js";
import { useUpdateConnector } from "../api/connectors/use-connectors.js";
import { notifyDone } from "../ui/notes/notify-done.js";
import { UnsavedGuard } from "../ui/notes/unsaved-guard.js";
import { EmptyState } from "../ui/page/empty-state.js";
import { ErrorNote } from "../ui/page/error-note.js";
import { ImageOwnerContext } from "./connector-image.js";
import { Control } from "./control.js";
import { type FieldError, fieldErrors } from "./field-errors.js";
import { FormContext } from "./form-context.js";
import { FormSectionFields } from "./form-section-fields.js";
import { type FormField, type FormSection, formSections } from "./form-sections.js";
import { SaveBar } from "./save-bar.js";
import { countChanges, type SettingChanges, undoChanges, withChange, withChanges } from "./setting-values.js";
import classes from "./settings-form.module.css";

interface SettingsFormProps {
  connector: Connector;
  mayEdit: boolean;
  mayOpenPages: boolean;
}

/** The settings of a connector, as its manifest describes them. Only what somebody changed is saved. */
export function SettingsForm({ connector, mayEdit, mayOpenPages }: SettingsFormProps) {
  const [changes, setChanges] = useState<SettingChanges>({});
  const [errors, setErrors] = useState<ReadonlyMap<string, FieldError[]>>(new Map());
  const [failure, setFailure] = useState<unknown>();
  const update = useUpdateConnector(connector.id);
  const stored = { settings: connector.settings, private_settings: connector.private_settings ?? {} };
  const sections = useMemo(() => visibleSections(connector), [connector]);
  const count = countChanges(changes);
  const imageOwner = useMemo(() => ({ connectorId: connector.id }), [connector.id]);

  const latest = useRef(stored);
  latest.current = stored;
  const change = useCallback(({ group, path, setting }: FormField, value: unknown) => {
    if (!group) return;
    setChanges((before) => withChange(before, latest.current, { group, name: setting.name, value }));
    setErrors((before) => new Map([...before].filter(([at]) => at !== path)));
  }, []);
  const discard = () => {
    setChanges({});
    setErrors(new Map());
    setFailure(undefined);
  };
  const save = async () => {
    const undo = undoChanges(stored, changes);
    discard();
    try {
      await update.mutateAsync(changes);
      notifyDone("Settings saved", () => update.mutateAsync(undo));
    } catch (error) {
      setChanges(changes);
      const found = error instanceof ApiError ? fieldErrors(error.details) : new Map<string, FieldError[]>();
      setErrors(found);
      setFailure(error);
    }
  };

  if (sections.length === 0) {
    const isPartial = connector.private_settings === undefined;
    return <EmptyState title={`This connector has no ${isPartial ? "public " : ""}settings`} />;
  }
  const context = {
    connectorId: connector.id,
    unsaved: changes,
    hasChanges: count > 0,
    version: JSON.stringify([connector.status, stored]),
    Control,
    mayOpenPages,
  };
  return (
    <FormContext value={context}>
      <ImageOwnerContext value={imageOwner}>
        <div
          className={classes.form}
          data-wide={connector.tags.includes("wideSettings") || undefined}
          data-one-column={connector.tags.includes("oneColumn") || undefined}
        >
          {sections.map((section, index) => (
            <FormSectionFields
              // biome-ignore lint/suspicious/noArrayIndexKey: sections have no id, and two can have one title
              key={index}
              section={section}
              values={withChanges(stored, changes)}
              stored={stored}
              errors={errors}
              isDisabled={!mayEdit || update.isPending}
              onChange={change}
            />
          ))}
          {failure === undefined ? null : <ErrorNote error={failure} />}
          <SaveBar changes={count} isSaving={update.isPending} onSave={() => void save()} onDiscard={discard} />
        </div>
      </ImageOwnerContext>
      <UnsavedGuard hasChanges={count > 0} />
    </FormContext>
  );
}

/** Private settings hold secrets. People who do not get their values are not shown empty fields in their place. */
function visibleSections(connector: Connector): FormSection[] {
  const sections = formSections(connector);
  if (connector.private_settings !== undefined) return sections;
  return sections
    .map((section) => ({ ...section, fields: section.fields.filter(({ group }) => group === "settings") }))
    .filter(({ fields }) => fields.length > 0);
}
