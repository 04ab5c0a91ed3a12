import { useEffect } from "react";
import { isTyping } from "../../ui/state/is-typing.js";

const ITEMS = "main li, main tbody tr";
const OPENERS = "a[href], button:not(:disabled)";

/** j and k lead through the list of any screen, wherever the focus is. Tables with a cursor of their own take them over. */
export function useListKeys(): void {
  useEffect(() => {
    document.addEventListener("keydown", moveInList);
    return () => document.removeEventListener("keydown", moveInList);
  }, []);
}

function moveInList(event: KeyboardEvent): void {
  const step = { j: 1, k: -1 }[event.key];
  if (step === undefined || event.defaultPrevented || isTyping(event)) return;
  if (document.querySelector('[aria-modal="true"]')) return;
  const table = document.querySelector<HTMLElement>('main [role="table"][tabindex="0"]');
  if (table) {
    if (table === document.activeElement) return;
    table.focus({ preventScroll: true });
    table.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true, cancelable: true }));
  } else {
    const openers = openersOfItems();
    const at = openers.findIndex((opener) => opener.closest("li, tr")?.contains(document.activeElement));
    const next = at === -1 ? (step > 0 ? 0 : openers.length - 1) : at + step;
    openers[next]?.focus();
  }
  event.preventDefault();
}

/** What opens each item of the lists in view, in their order. */
function openersOfItems(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(ITEMS)].flatMap((item) => {
    const opener = item.checkVisibility() ? item.querySelector<HTMLElement>(OPENERS) : null;
    return opener && opener.closest("li, tr") === item ? [opener] : [];
  });
}
