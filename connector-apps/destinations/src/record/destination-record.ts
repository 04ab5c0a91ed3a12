import type { Preset, SyncMode } from "../package/definition.js";

/** A field as data, without functions. */
export interface FieldRecord {
  key: string;
  label: string;
  description: string;
  type: string;
  isList: boolean;
  /** `true`, or the conditions under which it is required. */
  required: unknown;
  default?: unknown;
  choices?: { value: string | number; label: string }[];
  format?: string;
  /** The parts of an object. */
  parts?: FieldRecord[];
  /** The service offers the choices. */
  isDynamic: boolean;
  isHidden: boolean;
  /** Other keys than those of the parts are allowed. */
  isOpen: boolean;
}

export interface ActionRecord {
  key: string;
  title: string;
  description: string;
  /** When it runs unless somebody says otherwise. */
  trigger: string;
  fields: FieldRecord[];
  syncMode?: SyncMode;
  /** What the package does at the service when a mapping of this action is saved. Muster does not do it. */
  stepOnSave?: string;
  hasBatch: boolean;
}

export interface AudienceRecord {
  /** The service makes an audience when it is asked to, and gives it an id. */
  isCreated: boolean;
  fields: FieldRecord[];
}

/** Everything about a destination that its manifest and its forms need, without its code. */
export interface DestinationRecord {
  name: string;
  title: string;
  /** One sentence for lists. */
  summary: string;
  categories: string[];
  /** The version of the package that it comes from. */
  version: string;
  scheme: "basic" | "custom" | "oauth2" | "none";
  canTest: boolean;
  canRefresh: boolean;
  settings: FieldRecord[];
  actions: ActionRecord[];
  presets: Preset[];
  audience?: AudienceRecord;
}
