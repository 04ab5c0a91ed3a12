import { UnstyledButton } from "@mantine/core";
import type { TimelineItem } from "@muster/protocol/api/history";
import {
  CommentIcon,
  FilterIcon,
  GitMergeIcon,
  type Icon,
  PaperAirplaneIcon,
  PencilIcon,
  PulseIcon,
  UndoIcon,
} from "@primer/octicons-react";
import type { TimelineKind } from "../../../api/audience/use-timeline.js";
import { formatClock, formatCount, formatTime } from "../../../ui/text/format.js";
import { Tip } from "../../../ui/text/tip.js";
import type { AttributeLabel } from "../use-attribute-labels.js";
import { describeItem } from "./describe-item.js";
import classes from "./timeline.module.css";

const ICONS: Record<TimelineKind, { icon: Icon; label: string }> = {
  event: { icon: PulseIcon, label: "Event" },
  change: { icon: PencilIcon, label: "Change" },
  segment: { icon: FilterIcon, label: "Segment" },
  delivery: { icon: PaperAirplaneIcon, label: "Delivery" },
  merge: { icon: GitMergeIcon, label: "Merge" },
  unmerge: { icon: UndoIcon, label: "Undone merge" },
  comment: { icon: CommentIcon, label: "Comment" },
};

interface ItemRowProps {
  item: TimelineItem;
  /** How many tries the item stands for. */
  tries: number;
  /** The user of an event, where events of several users are shown. */
  who: string | undefined;
  labelOf: AttributeLabel;
  isOpen: boolean;
  onOpen: () => void;
}

/** One item of the timeline. A click opens its details. */
export function ItemRow({ item, tries, who, labelOf, isOpen, onOpen }: ItemRowProps) {
  const { icon: KindIcon, label } = ICONS[item.kind];
  const { title, details, isBad } = describeItem(item, labelOf);
  const more = [details, tries === 1 ? "" : `after ${formatCount(tries, "try", "tries")}`].filter(
    (text) => text !== "",
  );
  return (
    <UnstyledButton
      className={classes.row}
      data-open={isOpen || undefined}
      data-bad={isBad || undefined}
      data-kind={item.kind}
      onClick={onOpen}
    >
      <KindIcon size={14} aria-label={label} />
      <span>
        <span className={classes.title}>{who === undefined ? title : `${who}: ${title}`}</span>
        {more.length === 0 ? null : <span className={classes.details}>{more.join(", ")}</span>}
      </span>
      <Tip label={formatTime(item.at)}>
        <time dateTime={item.at} className={classes.time}>
          {formatClock(item.at)}
        </time>
      </Tip>
    </UnstyledButton>
  );
}
