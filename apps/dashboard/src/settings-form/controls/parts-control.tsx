import type { ControlProps } from "../control-props.js";
import { PartFields } from "../part-fields.js";

/** An object whose parts the manifest declares. */
export function PartsControl({ setting, ...props }: ControlProps) {
  return <PartFields {...props} parts={setting.parts} columns={Math.min(setting.parts.length, 2)} />;
}
