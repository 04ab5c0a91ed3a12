import { ActionIcon, Group, Menu, Text } from "@mantine/core";
import type { SavedInsight } from "@muster/protocol/api/insights";
import { ArrowLeftIcon, ArrowRightIcon, PlusIcon, XIcon } from "@primer/octicons-react";
import { Link } from "@tanstack/react-router";
import { type DragEvent, Suspense, useState } from "react";
import { cardsOf, useInsightChanges, useSavedInsights } from "../../api/audience/use-insights.js";
import { useMay, useOrganization } from "../../api/session/use-organization.js";
import { TextLink } from "../../ui/page/text-link.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import classes from "./insight-cards.module.css";
import { Part } from "./part.js";

// Home is there before the drawings of its cards.
const Preview = lazyPart(() => import("../../insights/insight-preview.js"), "InsightPreview");

/** Cards of saved insights. The organization shares them; people move them with the mouse or with the arrow buttons. */
export function InsightCards() {
  const { id: org } = useOrganization();
  const mayChange = useMay("editor");
  const { data: insights } = useSavedInsights();
  const { arrange } = useInsightChanges();
  const [dragged, setDragged] = useState<number>();
  if (!insights) return null;
  const cards = cardsOf(insights);
  const ids = cards.map(({ id }) => id);
  const others = insights.filter(({ home_place }) => home_place === null);
  const move = (id: number, to: number) => {
    if (to < 0 || to >= ids.length) return;
    const next = ids.filter((one) => one !== id);
    next.splice(to, 0, id);
    arrange.mutate(next);
  };
  const drop = (event: DragEvent, at: number) => {
    event.preventDefault();
    if (dragged !== undefined) move(dragged, at);
    setDragged(undefined);
  };
  return (
    <Part
      place="insights"
      title="Insights"
      beside={<AddCard others={others} isDisabled={!mayChange} onAdd={(id) => arrange.mutate([...ids, id])} />}
    >
      {cards.length === 0 ? (
        <Text c="dimmed">
          No card yet.{" "}
          <TextLink to="/o/$org/insights" params={{ org }} underline="always">
            Ask a question
          </TextLink>{" "}
          and save it to see it here.
        </Text>
      ) : null}
      <ul className={classes.cards}>
        {cards.map((insight, at) => (
          <li
            key={insight.id}
            className={classes.card}
            aria-label={insight.name}
            draggable={mayChange}
            data-dragged={dragged === insight.id ? true : undefined}
            onDragStart={() => setDragged(insight.id)}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => drop(event, at)}
          >
            <div className={classes.head}>
              <Link
                to="/o/$org/insights"
                params={{ org }}
                search={{ saved: String(insight.id) }}
                className={classes.name}
              >
                {insight.name}
              </Link>
              <CardActions
                insight={insight}
                at={at}
                count={cards.length}
                isDisabled={!mayChange}
                onMove={(to) => move(insight.id, to)}
                onRemove={() => arrange.mutate(ids.filter((id) => id !== insight.id))}
              />
            </div>
            <div className={classes.body}>
              <Suspense fallback={null}>
                <Preview question={insight.question} label={insight.name} />
              </Suspense>
            </div>
          </li>
        ))}
      </ul>
    </Part>
  );
}

interface CardActionsProps {
  insight: SavedInsight;
  at: number;
  count: number;
  isDisabled: boolean;
  onMove: (to: number) => void;
  onRemove: () => void;
}

function CardActions({ insight: { name }, at, count, isDisabled, onMove, onRemove }: CardActionsProps) {
  return (
    <Group gap={2} wrap="nowrap">
      <ActionIcon
        size="md"
        aria-label={`Move ${name} forward`}
        disabled={isDisabled || at === 0}
        onClick={() => onMove(at - 1)}
      >
        <ArrowLeftIcon size={14} />
      </ActionIcon>
      <ActionIcon
        size="md"
        aria-label={`Move ${name} back`}
        disabled={isDisabled || at === count - 1}
        onClick={() => onMove(at + 1)}
      >
        <ArrowRightIcon size={14} />
      </ActionIcon>
      <ActionIcon size="md" aria-label={`Remove ${name} from Home`} disabled={isDisabled} onClick={onRemove}>
        <XIcon size={14} />
      </ActionIcon>
    </Group>
  );
}

interface AddCardProps {
  others: readonly SavedInsight[];
  isDisabled: boolean;
  onAdd: (id: number) => void;
}

function AddCard({ others, isDisabled, onAdd }: AddCardProps) {
  if (others.length === 0) return null;
  return (
    <Menu position="bottom-end" withinPortal transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <ActionIcon size="md" aria-label="Add a card" disabled={isDisabled}>
          <PlusIcon size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {others.map(({ id, name }) => (
          <Menu.Item key={id} onClick={() => onAdd(id)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
