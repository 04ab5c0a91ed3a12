const INPUTS = 'input, textarea, select, [contenteditable="true"], [role="textbox"], [role="combobox"]';

/** Whether a key is a letter of a text that somebody types, and no shortcut. */
export function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey || !(target instanceof Element) || target.closest(INPUTS) !== null;
}
