import type { Preset } from "../package/definition.js";
import type { ActionRecord, DestinationRecord, FieldRecord } from "../record/destination-record.js";
import type { Mapping } from "./mapping.js";
import { SYNC_MODE, startingSyncMode } from "./sync-mode.js";

const ENTERED = 'event = "Audience Entered"';
const EXITED = 'event = "Audience Exited"';
export const MEMBERSHIP_TRIGGER = `${ENTERED} or ${EXITED}`;

/**
 * The triggers of presets that name a kind of event elsewhere. The first three are what segments are for here. The others are
 * about journeys and related objects: people may use them for segments, so they begin switched off.
 */
const TRIGGERS: Readonly<Record<string, { trigger: string; isOn: boolean }>> = {
  warehouse_audience_entered_track: { trigger: ENTERED, isOn: true },
  warehouse_audience_exited_track: { trigger: EXITED, isOn: true },
  warehouse_audience_membership_changed_identify: { trigger: MEMBERSHIP_TRIGGER, isOn: true },
  journeys_step_entered_track: { trigger: ENTERED, isOn: false },
  warehouse_entity_added_track: { trigger: ENTERED, isOn: false },
  warehouse_entity_removed_track: { trigger: EXITED, isOn: false },
};

/** The mappings of a new connector: the presets, or one mapping for each action, which people look at before it runs. */
export function startingMappings(record: DestinationRecord): Mapping[] {
  const actions = new Map(record.actions.map((action) => [action.key, action]));
  const known = record.presets.filter(({ partnerAction }) => actions.has(partnerAction));
  if (known.length > 0)
    return known.map((preset, index) => presetMapping(preset, index, actions.get(preset.partnerAction)!));
  return record.actions.map((action, index) => ({
    id: `action-${index + 1}`,
    name: action.title,
    action: action.key,
    enabled: false,
    trigger: startingTrigger(record, action),
    fields: defaultsOf(action),
  }));
}

/** When an action runs until somebody says otherwise. Many declare nothing: those are for segments. */
export function startingTrigger({ audience }: DestinationRecord, { trigger }: ActionRecord): string {
  return audience || trigger.trim() === "" ? MEMBERSHIP_TRIGGER : tidy(trigger);
}

function presetMapping(preset: Preset, index: number, action: ActionRecord): Mapping {
  const { trigger, isOn } = TRIGGERS[preset.eventSlug ?? ""] ?? {
    trigger: tidy(preset.subscribe ?? ""),
    isOn: true,
  };
  return {
    id: `preset-${index + 1}`,
    name: preset.name ?? action.title,
    action: action.key,
    enabled: isOn && trigger !== "",
    trigger,
    fields: { ...syncModeOf(action), ...preset.mapping },
  };
}

/** The values that the fields of an action begin with. */
export function defaultsOf(action: ActionRecord): Record<string, unknown> {
  const fields = action.fields.flatMap(({ key, default: value }: FieldRecord) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return { ...syncModeOf(action), ...Object.fromEntries(fields) };
}

/** It is in the mapping, so that people see it in the form. */
function syncModeOf({ syncMode }: ActionRecord): Record<string, unknown> {
  return syncMode ? { [SYNC_MODE]: startingSyncMode(syncMode) } : {};
}

/** Definitions break long triggers into lines. */
function tidy(trigger: string): string {
  return trigger.replace(/\s+/g, " ").trim();
}
