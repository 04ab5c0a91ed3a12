import { type ComponentType, createContext, useContext } from "react";
import type { UnsavedSettings } from "../api/connectors/use-connector-endpoints.js";
import type { ControlProps } from "./control-props.js";

/** What every control of a form may need beyond its own value. */
export interface FormContextValue {
  connectorId: string;
  /** What is in the form and not saved yet. Options that the connector offers can depend on it. */
  unsaved: UnsavedSettings;
  hasChanges: boolean;
  /** The version of the connector's record: it changes when the connector stores something. */
  version: string;
  /** Shows any setting. Tables and objects hold controls themselves, so they get it from here and do not import it. */
  Control: ComponentType<ControlProps>;
  mayOpenPages: boolean;
}

export const FormContext = createContext<FormContextValue | undefined>(undefined);

export function useFormContext(): FormContextValue {
  const value = useContext(FormContext);
  if (!value) throw new Error("A control of the settings form is used outside of a form.");
  return value;
}
