import { TransientError } from "./transient-error.js";

/**
 * The settings do not work. A retry can succeed only after they have been changed, so Muster sends the messages of a
 * notification again when the settings change, and otherwise once an hour.
 *
 * @example
 * throw new ConfigurationError("The API key was refused: give a new one in the settings.");
 */
export class ConfigurationError extends TransientError {
  override readonly name = "ConfigurationError";
  override readonly code = "ERR_CONFIGURATION";
}
