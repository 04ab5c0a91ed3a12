import { type ComponentType, Suspense } from "react";
import { lazyPart } from "../ui/state/lazy-part.js";
import { type ControlKind, controlKind } from "./control-kind.js";
import type { ControlProps } from "./control-props.js";
import { AttributesControl } from "./controls/attributes-control.js";
import { ButtonControl } from "./controls/button-control.js";
import { ChoiceControl } from "./controls/choice-control.js";
import { CodeControl } from "./controls/code-control.js";
import { EventsControl } from "./controls/events-control.js";
import { ImageControl } from "./controls/image-control.js";
import { InformationControl } from "./controls/information-control.js";
import { JsonControl } from "./controls/json-control.js";
import { NumberControl } from "./controls/number-control.js";
import { PartsControl } from "./controls/parts-control.js";
import { SecretControl } from "./controls/secret-control.js";
import { SegmentsControl } from "./controls/segments-control.js";
import { SwitchControl } from "./controls/switch-control.js";
import { TextControl } from "./controls/text-control.js";

// Few forms have these, and they are the largest.
const MappingControl = lazyPart(() => import("./controls/mapping-control.js"), "MappingControl");
const PairsControl = lazyPart(() => import("./controls/pairs-control.js"), "PairsControl");
const SignInControl = lazyPart(() => import("./controls/sign-in-control.js"), "SignInControl");
const TableControl = lazyPart(() => import("./controls/table-control.js"), "TableControl");
const TagsControl = lazyPart(() => import("./controls/tags-control.js"), "TagsControl");
const ColorControl = lazyPart(() => import("./controls/color-control.js"), "ColorControl");

const CONTROLS: Record<Exclude<ControlKind, "heading">, ComponentType<ControlProps>> = {
  text: TextControl,
  address: TextControl,
  image: ImageControl,
  "long-text": TextControl,
  secret: SecretControl,
  code: CodeControl,
  number: NumberControl,
  switch: SwitchControl,
  choice: ChoiceControl,
  color: ColorControl,
  segments: SegmentsControl,
  attributes: AttributesControl,
  events: EventsControl,
  tags: TagsControl,
  mapping: MappingControl,
  table: TableControl,
  parts: PartsControl,
  pairs: PairsControl,
  json: JsonControl,
  "sign-in": SignInControl,
  button: ButtonControl,
  information: InformationControl,
};

/** The control for a setting, a column of a table or a part of an object. */
export function Control(props: ControlProps) {
  const kind = controlKind(props.setting, props.value);
  if (kind === "heading") return null;
  const Chosen = CONTROLS[kind];
  return (
    <Suspense fallback={null}>
      <Chosen {...props} />
    </Suspense>
  );
}
