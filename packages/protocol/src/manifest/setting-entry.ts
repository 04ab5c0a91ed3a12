import { type Static, Type } from "typebox";

/** The formats of settings. A setting with a format that is neither here nor in `FORM_FORMATS` is shown as a plain field. */
export const SETTING_FORMATS = [
  "color",
  "image",
  "uri",
  "segment",
  "accountSegment",
  "select",
  "trait",
  "accountTrait",
  "traitMapping",
  "accountTraitMapping",
  "event",
  "tags",
  "table",
  "oauth",
  "button",
  "hidden",
] as const;
/** Formats of published manifests that change how the form shows a setting. Its value is checked by its type alone. */
export const FORM_FORMATS = [
  "password",
  "secret",
  "textarea",
  "code",
  "title",
  "action",
  "information",
  "credentials",
] as const;

export type SettingFormat = (typeof SETTING_FORMATS)[number];

export const SETTING_TYPES = ["string", "boolean", "number", "integer", "array", "object"] as const;

export const MAPPING_DIRECTIONS = ["incoming", "outgoing"] as const;

export const AnyObject = Type.Record(Type.String(), Type.Unknown());
export const RelativePath = Type.String({ minLength: 1, description: "Path from the connector's root." });

export const Confirmation = Type.Object(
  {
    fireAndForget: Type.Optional(Type.Boolean({ description: "The dashboard does not wait for the answer." })),
    action: Type.Optional(Type.String({ description: "What is done, e.g. `fetch`." })),
    text: Type.Optional(Type.String({ description: "The question." })),
    button: Type.Optional(Type.String({ description: "The label of the button that confirms." })),
    entity: Type.Optional(Type.String({ description: "What it is about, e.g. `users`." })),
  },
  { description: "What a button asks before it calls its `url`." },
);

/** The options that Muster knows. */
export const KnownOptions = Type.Object({
  loadOptions: Type.Optional(
    Type.String({
      minLength: 1,
      description: "Path of an endpoint that answers `{options: [{value, label}]}`, or groups `{label, options: […]}`.",
    }),
  ),
  allowCreate: Type.Optional(Type.Boolean({ description: "Values that are not in the list may be given." })),
  placeholder: Type.Optional(Type.String({ description: "Shown while there is no value." })),
  source: Type.Optional(Type.String({ description: "The group of the attributes that are offered or written." })),
  direction: Type.Optional(
    Type.Enum([...MAPPING_DIRECTIONS], {
      description: "`incoming`: from the service into attributes; `outgoing`: from attributes to the service.",
    }),
  ),
  showOverwriteToggle: Type.Optional(Type.Boolean({ description: "Each row of a mapping has a switch `overwrite`." })),
  pattern: Type.Optional(
    Type.String({
      description: "A regular expression that new fields of a mapping must match; at most 500 characters.",
    }),
  ),
  name: Type.Optional(Type.String({ description: "The name of the service that a sign-in component signs in to." })),
  strategy: Type.Optional(
    Type.Intersect([
      Type.Object({ scope: Type.Optional(Type.Unsafe<string | string[]>({ description: "What is asked for." })) }),
      AnyObject,
    ]),
  ),
  confirm: Type.Optional(Confirmation),
  standard: Type.Optional(
    Type.Unsafe<Record<string, string> | { value: string; label: string }[]>({
      description: "Values at the top of a list, each with its label: `{ALL: label}`, or a list of `{value, label}`.",
    }),
  ),
});

/** The names of the options that Muster knows. */
export const SETTING_OPTIONS = Object.keys(KnownOptions.properties) as (keyof typeof KnownOptions.properties)[];

/** The options of a setting. An author may add others. */
export const SettingOptions = Type.Intersect([KnownOptions, AnyObject]);
export type SettingOptions = Static<typeof SettingOptions>;

export const SettingEntry = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    type: Type.Enum([...SETTING_TYPES]),
    format: Type.Optional(Type.String()),
    default: Type.Optional(Type.Unknown()),
    enum: Type.Optional(Type.Array(Type.Unknown())),
    enumNames: Type.Optional(Type.Array(Type.String())),
    items: Type.Optional(AnyObject),
    properties: Type.Optional(AnyObject),
    required: Type.Optional(Type.Boolean()),
    options: Type.Optional(Type.Unsafe<SettingOptions>({ type: "object", description: "See the table of options." })),
    handler: Type.Optional(Type.String({ description: "The connector's function for `url`." })),
    url: Type.Optional(RelativePath),
  },
  { description: "A setting, described in the manner of JSON schema." },
);
export type SettingEntry = Static<typeof SettingEntry>;
