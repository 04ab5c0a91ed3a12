import { Checkbox, SegmentedControl, Stack, Textarea } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import type { ComputedAttribute } from "@muster/protocol/api/computed-attributes";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useComputedChanges } from "../../../api/audience/use-computed-attributes.js";
import { useFilterSchema } from "../../../filters/use-filter-schema.js";
import { NameField } from "../../../ui/form/name-field.js";
import { SaveForm } from "../../../ui/form/save-form.js";
import { notifyWhenDone } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { SidePanel } from "../../../ui/page/side-panel.js";
import classes from "./computed.module.css";
import { type ComputedDraft, computeOf, newDraft, typeOfDraft } from "./computed-draft.js";
import { ComputedFields } from "./computed-fields.js";
import { ComputedPreview } from "./computed-preview.js";
import { useSavedDraft, whereOf } from "./use-computed-filter.js";

interface ComputedFormProps {
  subjectType: SubjectType;
  /** The definition that is edited; undefined for a new one. */
  saved: ComputedAttribute | undefined;
  /** The attributes that there are. */
  known: readonly AttributeFigure[];
  onClose: () => void;
  onSaved: (saved: ComputedAttribute) => void;
}

/** Defines an attribute whose values are computed, and shows them on real people before it is saved. */
export function ComputedForm({ saved, ...props }: ComputedFormProps) {
  return (
    <SidePanel title={saved ? `Edit ${saved.name}` : "Add a computed attribute"} onClose={props.onClose} width={680}>
      {saved ? <EditForm {...props} saved={saved} /> : <Form {...props} first={newDraft(props.subjectType)} />}
    </SidePanel>
  );
}

function EditForm({ saved, ...props }: ComputedFormProps & { saved: ComputedAttribute }) {
  const { data, error, refetch } = useSavedDraft(saved);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  return data ? <Form key={saved.id} {...props} saved={saved} first={data} /> : null;
}

interface FormProps extends Omit<ComputedFormProps, "saved"> {
  saved?: ComputedAttribute;
  first: ComputedDraft;
}

function Form({ saved, first, subjectType, known, onClose, onSaved }: FormProps) {
  const [draft, setDraft] = useState(first);
  const [replaces, setReplaces] = useState(false);
  const { create, change } = useComputedChanges();
  const schema = useFilterSchema("user");
  const own = draft.target === subjectType ? known : [];
  const name = draft.name.trim();
  const namesake = saved ? undefined : own.find((one) => one.name === name || one.key === name);
  const isComplete = computeOf(draft, draft.aggregate === "share" ? {} : undefined) !== undefined;
  // The server makes a query of the filter first, which may fail as saving may.
  const saving = useMutation({
    mutationFn: async () => {
      const compute = computeOf(draft, await whereOf(draft));
      // The button is disabled until the definition is complete; a filter may have lost its last condition since.
      if (!compute) throw new Error("The filter has no condition that says enough.");
      const description = draft.description.trim();
      const { target } = draft;
      const type = typeOfDraft(draft, schema.events);
      const typed = type === undefined ? {} : { type };
      const replace = replaces ? { replace: true } : {};
      return saved
        ? change.mutateAsync({ id: saved.id, compute, description })
        : create.mutateAsync({ target, name, description, compute, ...typed, ...replace });
    },
  });
  const save = () =>
    notifyWhenDone(
      saving.mutateAsync(undefined, { onSuccess: onSaved }),
      saved ? `${saved.name} is changed` : `${name} is computed from now on`,
    );
  return (
    <Stack>
      <SaveForm
        saveLabel={saved ? "Save" : "Add computed attribute"}
        onSave={save}
        saving={saving}
        isDisabled={name === "" || !isComplete || (namesake !== undefined && (namesake.standard || !replaces))}
        onCancel={onClose}
      >
        {saved ? null : (
          <Stack gap="sm">
            <SegmentedControl
              aria-label="Whose attribute"
              className={classes.choice}
              value={draft.target}
              // The choices are the two targets.
              onChange={(target) => setDraft(newDraftOf(draft, target as SubjectType))}
              data={[
                { value: "user", label: "Of users" },
                { value: "account", label: "Of accounts" },
              ]}
            />
            <NameField
              description="What is before a slash is the group, as in orders/total."
              value={draft.name}
              onChange={(text) => setDraft({ ...draft, name: text })}
              maxLength={256}
              error={namesake?.standard ? `${namesake.name} is a standard field: it cannot be computed.` : undefined}
            />
            {namesake && !namesake.standard ? (
              <Checkbox
                label={`There is an attribute ${namesake.name} already. Compute it from now on, and refuse what others write.`}
                checked={replaces}
                onChange={({ currentTarget }) => setReplaces(currentTarget.checked)}
              />
            ) : null}
          </Stack>
        )}
        <ComputedFields
          draft={draft}
          onChange={setDraft}
          schema={schema}
          readable={own.filter((one) => one.name !== name).map((one) => one.name)}
          isNew={saved === undefined}
        />
        <Textarea
          label="Description"
          autosize
          maxLength={2_000}
          value={draft.description}
          onChange={({ currentTarget }) => setDraft({ ...draft, description: currentTarget.value })}
        />
      </SaveForm>
      <ComputedPreview draft={{ ...draft, type: typeOfDraft(draft, schema.events) }} />
    </Stack>
  );
}

/** Users have no users, so a draft over users begins anew when it is for users. */
function newDraftOf(draft: ComputedDraft, target: SubjectType): ComputedDraft {
  const isPossible = target === "account" || draft.source !== "users";
  const { name, description } = draft;
  return isPossible ? { ...draft, target } : { ...newDraft(target), name, description };
}
