import type { FieldError } from "./field-errors.js";
import type { Setting } from "./read-setting.js";

export interface ControlProps {
  setting: Setting;
  value: unknown;
  /** The value that is stored, which the form may have changed. */
  stored?: unknown;
  onChange: (value: unknown) => void;
  /** What the value is called, for people who cannot see the label beside it. */
  label: string;
  errors: readonly FieldError[];
  isDisabled: boolean;
}
