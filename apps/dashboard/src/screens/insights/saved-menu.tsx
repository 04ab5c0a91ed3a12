import { Button, Menu } from "@mantine/core";
import type { InsightQuestion, SavedInsight } from "@muster/protocol/api/insights";
import { BookmarkIcon, HomeIcon, TrashIcon } from "@primer/octicons-react";
import { useState } from "react";
import { sentenceOf } from "../../api/api-error.js";
import { cardsOf, useInsightChanges, useSavedInsights } from "../../api/audience/use-insights.js";
import { useMay } from "../../api/session/use-organization.js";
import { NameDialog } from "../../ui/notes/name-dialog.js";
import { notifyDone, notifyOutcome } from "../../ui/notes/notify-done.js";
import { asksTheSame } from "./question-address.js";

interface SavedMenuProps {
  question: InsightQuestion;
  /** The number of the saved insight that is shown, if it is one. */
  current: SavedInsight | undefined;
  onShow: (insight: SavedInsight | undefined) => void;
}

/** Saved insights: open one, save what is shown, put it on the home, remove it. */
export function SavedMenu({ question, current, onShow }: SavedMenuProps) {
  const { data, error, refetch } = useSavedInsights();
  const insights = data ?? [];
  const { create, update, remove, arrange } = useInsightChanges();
  const mayChange = useMay("editor");
  const [isNaming, setNaming] = useState(false);
  const differs = current !== undefined && !asksTheSame(current.question, question);
  const cards = cardsOf(insights).map(({ id }) => id);
  const isOnHome = current !== undefined && cards.includes(current.id);
  const toggleHome = () => {
    if (!current) return;
    const next = isOnHome ? cards.filter((id) => id !== current.id) : [...cards, current.id];
    const done = isOnHome ? `${current.name} removed from Home` : `${current.name} is on Home now`;
    notifyOutcome(arrange.mutateAsync(next), done, () => arrange.mutateAsync(cards));
  };
  const discard = ({ id, name, question: asked }: SavedInsight) =>
    notifyOutcome(remove.mutateAsync(id, { onSuccess: () => onShow(undefined) }), `${name} removed`, async () => {
      const made = await create.mutateAsync({ name, question: asked });
      // It has another id now, and its card is where it was.
      if (cards.includes(id)) await arrange.mutateAsync(cards.map((card) => (card === id ? made.id : card)));
    });
  const save = ({ id, name, question: before }: SavedInsight) =>
    notifyOutcome(update.mutateAsync({ id, question }), `${name} saved`, () =>
      update.mutateAsync({ id, question: before }),
    );
  return (
    <>
      <Menu position="bottom-end" withinPortal transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <Button variant="default" leftSection={<BookmarkIcon size={14} />}>
            {current ? `${current.name}${differs ? " (changed)" : ""}` : "Saved insights"}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {data?.length === 0 ? <Menu.Label>No saved insights yet</Menu.Label> : null}
          {data ? null : <Menu.Label>{error ? sentenceOf(error) : "…"}</Menu.Label>}
          {error && !data ? (
            <Menu.Item closeMenuOnClick={false} onClick={() => void refetch()}>
              Try again
            </Menu.Item>
          ) : null}
          {insights.map((insight) => (
            <Menu.Item
              key={insight.id}
              onClick={() => onShow(insight)}
              fw={insight.id === current?.id ? 600 : undefined}
            >
              {insight.name}
            </Menu.Item>
          ))}
          {current ? (
            <>
              <Menu.Divider />
              <Menu.Item disabled={!mayChange} leftSection={<TrashIcon size={14} />} onClick={() => discard(current)}>
                Remove {current.name}
              </Menu.Item>
            </>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      {current ? (
        <Button
          variant="default"
          leftSection={<HomeIcon size={14} />}
          disabled={!mayChange}
          aria-pressed={isOnHome}
          onClick={toggleHome}
        >
          {isOnHome ? "Remove from Home" : "Show on Home"}
        </Button>
      ) : null}
      {current && differs ? (
        <Button disabled={!mayChange} onClick={() => save(current)}>
          Save
        </Button>
      ) : null}
      {current && !differs ? null : (
        <Button variant={current ? "default" : "filled"} disabled={!mayChange} onClick={() => setNaming(true)}>
          Save as…
        </Button>
      )}
      <NameDialog
        title="Save insight"
        saveLabel="Save insight"
        opened={isNaming}
        onClose={() => setNaming(false)}
        onSave={async (name) => {
          const made = await create.mutateAsync({ name, question });
          onShow(made);
          notifyDone(`${made.name} saved`);
        }}
      />
    </>
  );
}
