import type { AttributeValue } from "../attributes/attribute-values.js";
import type { IdentifierKind, Profile } from "../profiles/profile.js";
import type { ProfileSizes } from "../profiles/profile-size.js";
import type { UndoRecorder } from "../undo/undo-recorder.js";

/** Hears of the changes of profiles. */
export interface ChangeListener {
  /** Notes what writes replace. Nobody undoes writes of a half by itself. */
  readonly undo?: UndoRecorder;
  /** Marks a profile as different from what is stored. */
  touch(profile: Profile): void;
  /** Must be called before an attribute changes, with its present value. */
  noteChange(profile: Profile, name: string, before: AttributeValue): void;
}

/** What the writing of attributes asks of the profiles of a micro-batch. */
export interface AttributeRoster extends ChangeListener {
  readonly sizes: ProfileSizes;
  /** Most bytes of the attributes of one profile. */
  readonly maxBytes: number;
  /** Whether another profile has an identifier. */
  isOfAnother(profile: Profile, kind: IdentifierKind, value: string): boolean;
  /** Adds an identifier to a profile unless another profile has it. Returns whether the profile has it now. */
  claimIfFree(profile: Profile, kind: IdentifierKind, value: string, source?: string): boolean;
}
