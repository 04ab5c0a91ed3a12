import { Modal } from "@mantine/core";
import { SearchIcon } from "@primer/octicons-react";
import { type KeyboardEvent, useId, useState } from "react";
import { useTyped } from "../../ui/state/use-typed.js";
import classes from "./palette.module.css";
import type { PaletteItem } from "./palette-item.js";
import { PaletteOption } from "./palette-option.js";
import { useFoundSubjects } from "./use-found-subjects.js";
import { usePaletteItems } from "./use-palette-items.js";

interface PaletteProps {
  isOpen: boolean;
  onClose: () => void;
}

/** Finds users, accounts, segments, connectors, attributes, screens and commands. It is used with the keyboard alone. */
export default function Palette({ isOpen, onClose }: PaletteProps) {
  return (
    <Modal.Root
      opened={isOpen}
      onClose={onClose}
      centered={false}
      yOffset="12vh"
      size={600}
      padding={0}
      lockScroll={false}
      transitionProps={{ duration: 0 }}
      classNames={{ content: classes.content }}
    >
      <Modal.Overlay backgroundOpacity={0.25} />
      <Modal.Content aria-label="Find or do">
        <Finder onClose={onClose} />
      </Modal.Content>
    </Modal.Root>
  );
}

function Finder({ onClose }: Pick<PaletteProps, "onClose">) {
  const listId = useId();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string>();
  const fixed = usePaletteItems(text.trim());
  const subjects = useFoundSubjects(useTyped(text.trim()));
  // What takes a moment comes last, so that nothing moves under the hand.
  const groups = [
    ...fixed.map((group) => ({ ...group, isOutdated: false })),
    ...subjects.groups.map((group) => ({ ...group, isOutdated: subjects.isSearching })),
  ].filter(({ items }) => items.length > 0);
  const items = groups.flatMap((group) => group.items);
  const found = items.findIndex(({ id }) => id === chosen);
  const place = found === -1 ? 0 : found;
  const selected = items[place];
  const run = (item: PaletteItem | undefined) => {
    if (!item) return;
    onClose();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") run(selected);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (step !== undefined) setChosen(items[(place + step + items.length) % items.length]?.id);
  };
  const optionId = (item: PaletteItem | undefined) => (item ? `${listId}-${item.id}` : undefined);
  return (
    <>
      <div className={classes.search}>
        <SearchIcon size={16} />
        <input
          className={classes.input}
          type="text"
          role="combobox"
          aria-label="Find or do"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={optionId(selected)}
          autoComplete="off"
          spellCheck={false}
          placeholder="Find a user, an account, a segment, a screen…"
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            setChosen(undefined);
          }}
          onKeyDown={onKeyDown}
          data-autofocus
          // biome-ignore lint/a11y/noAutofocus: the dialog focuses it too, but a moment later, and letters would be lost
          autoFocus
        />
      </div>
      <div id={listId} role="listbox" aria-label="Found" className={classes.list}>
        {groups.map(({ name, items: listed, isOutdated }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a part of a listbox
          <div key={name} role="group" aria-label={name} data-outdated={isOutdated || undefined}>
            <div className={classes.group} aria-hidden>
              {name}
            </div>
            {listed.map((item) => (
              <PaletteOption
                key={item.id}
                id={optionId(item) ?? ""}
                item={item}
                isSelected={item === selected}
                onPoint={() => setChosen(item.id)}
                onRun={() => run(item)}
              />
            ))}
          </div>
        ))}
      </div>
      {items.length === 0 ? (
        <p className={classes.empty} role="status">
          {subjects.isSearching ? "Searching…" : "Nothing has these words"}
        </p>
      ) : null}
    </>
  );
}
