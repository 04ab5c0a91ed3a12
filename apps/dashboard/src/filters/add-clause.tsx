import { Button, Combobox, Text, useCombobox } from "@mantine/core";
import type { Predicate } from "@muster/query";
import { DashIcon, PlusIcon } from "@primer/octicons-react";
import { useState } from "react";
import { formatNumber } from "../ui/text/format.js";
import classes from "./add-clause.module.css";
import type { BuilderContext } from "./builder-context.js";
import { type ClauseChoice, choicesFor, filterChoices } from "./clause-choices.js";
import { excluding } from "./exclude.js";

interface AddClauseProps {
  context: BuilderContext;
  onAdd: (clause: Predicate) => void;
  /** The clause leaves out those whom it is about. */
  isExcluding?: boolean;
}

/** A button that opens a list of everything that a clause can be about. */
export function AddClause({ context, onAdd, isExcluding = false }: AddClauseProps) {
  const [search, setSearch] = useState("");
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      setSearch("");
    },
    onDropdownOpen: () => combobox.focusSearchInput(),
  });
  const { groups, left } = combobox.dropdownOpened
    ? filterChoices(choicesFor(context), search)
    : { groups: [], left: 0 };
  const all = groups.flatMap(({ choices }) => choices);
  const pick = (id: string) => {
    const chosen = all.find((choice) => choice.id === id);
    if (chosen) onAdd(isExcluding ? excluding(chosen.make()) : chosen.make());
    combobox.closeDropdown();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={pick} width={320} position="bottom-start" withinPortal>
      <Combobox.Target withAriaAttributes={false}>
        <Button
          variant="subtle"
          className={classes.button}
          leftSection={isExcluding ? <DashIcon size={14} /> : <PlusIcon size={14} />}
          onClick={() => combobox.toggleDropdown()}
        >
          {isExcluding ? "Exclude" : "Add condition"}
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={search}
          onChange={({ currentTarget }) => {
            setSearch(currentTarget.value);
            combobox.selectFirstOption();
          }}
          aria-label="Find an attribute, an event or a segment"
          placeholder="Attribute, event or segment"
        />
        <Combobox.Options className={classes.options} aria-label="What the condition is about">
          {groups.map(({ title, choices }) => (
            <Combobox.Group label={title} key={title}>
              {choices.map((choice) => (
                <Choice key={choice.id} choice={choice} />
              ))}
            </Combobox.Group>
          ))}
          {all.length === 0 ? (
            <Combobox.Empty>
              {context.schema.problem ? "Not everything could be read." : `Nothing is called “${search}”.`}
            </Combobox.Empty>
          ) : null}
        </Combobox.Options>
        {left > 0 ? (
          <Combobox.Footer>
            <Text size="xs" c="dimmed">
              {search === "" ? "Type" : "Type more"} to find{" "}
              {left === 1 ? "another one" : `${formatNumber(left)} others`}.
            </Text>
          </Combobox.Footer>
        ) : null}
      </Combobox.Dropdown>
    </Combobox>
  );
}

function Choice({ choice }: { choice: ClauseChoice }) {
  return (
    <Combobox.Option value={choice.id} className={classes.option}>
      <span className={classes.name}>{choice.name}</span>
      <Text component="span" size="xs" c="dimmed" className={classes.hint}>
        {choice.hint}
      </Text>
    </Combobox.Option>
  );
}
