/** A property of the object itself. Scripts of the page may have put one with the same name on the prototype. */
export function ownValue<Value extends object, Key extends keyof Value>(
  object: Value,
  key: Key,
): Value[Key] | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
