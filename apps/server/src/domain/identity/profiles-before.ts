import type { AttributeValue } from "../attributes/attribute-values.js";
import type { Identifiers, Profile } from "../profiles/profile.js";

/**
 * What stored profiles were before a micro-batch, as far as it has changed them: for the change log. The values of new
 * profiles are not here, because they had none.
 */
export class ProfilesBefore {
  readonly #values = new Map<Profile, Map<string, AttributeValue>>();
  readonly #identifiers = new Map<Profile, Identifiers>();

  noteValue(profile: Profile, name: string, value: AttributeValue): void {
    const values = this.#values.get(profile);
    if (!values) this.#values.set(profile, new Map([[name, value]]));
    else if (!values.has(name)) values.set(name, value);
  }

  /** Must be called before identifiers change. Their lists of values are replaced and never changed. */
  noteIdentifiers(profile: Profile): void {
    if (!this.#identifiers.has(profile)) this.#identifiers.set(profile, { ...profile.identifiers });
  }

  /** The values of the attributes that have been written, by their name. */
  valuesOf(profile: Profile): ReadonlyMap<string, AttributeValue> {
    return this.#values.get(profile) ?? new Map();
  }

  identifiersOf(profile: Profile): Identifiers {
    return this.#identifiers.get(profile) ?? profile.identifiers;
  }
}
