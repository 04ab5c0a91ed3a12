import { guarded } from "../guarded.js";

type Values = Record<string, unknown>;
type Forms = HTMLFormElement | ArrayLike<HTMLFormElement>;

export interface TrackFormCall {
  forms: Forms;
  event: string | ((form: HTMLFormElement) => string);
  properties?: Values | ((form: HTMLFormElement) => Values) | undefined;
}

/**
 * Tracks an event when one of the forms is submitted. The submission is not held up: a record is stored before the event
 * handler ends, and is sent by the next page if this one is gone before.
 */
export function trackForm(
  { forms, event, properties = {} }: TrackFormCall,
  track: (event: string, properties: Values) => void,
): void {
  const all = "length" in forms && !("elements" in forms) ? Array.from(forms) : [forms as HTMLFormElement];
  for (const form of all) {
    // A callback of the page that fails does not keep the form from being submitted.
    const submitted = () =>
      track(
        typeof event === "function" ? event(form) : event,
        typeof properties === "function" ? properties(form) : properties,
      );
    form.addEventListener("submit", () => guarded(submitted));
  }
}
