import { Tooltip, UnstyledButton } from "@mantine/core";
import type { TimelineItem } from "@muster/protocol/api/history";
import {
  CommentIcon,
  FilterIcon,
  GitMergeIcon,
  type Icon,
  PaperAirplaneIcon,
  PencilIcon,
  PulseIcon,
} from "@primer/octicons-react";
import type { TimelineKind } from "../../../api/audience/use-timeline.js";
import { formatTime } from "../../../ui/text/format.js";
import { timeOfDay } from "./day-name.js";
import { describeItem } from "./describe-item.js";
import classes from "./timeline.module.css";

const ICONS: Record<TimelineKind, { icon: Icon; label: string }> = {
  event: { icon: PulseIcon, label: "Event" },
  change: { icon: PencilIcon, label: "Change" },
  segment: { icon: FilterIcon, label: "Segment" },
  delivery: { icon: PaperAirplaneIcon, label: "Delivery" },
  merge: { icon: GitMergeIcon, label: "Merge" },
  comment: { icon: CommentIcon, label: "Comment" },
};

interface ItemRowProps {
  item: TimelineItem;
  isOpen: boolean;
  onOpen: () => void;
}

/** One item of the timeline. A click opens its details. */
export function ItemRow({ item, isOpen, onOpen }: ItemRowProps) {
  const { icon: KindIcon, label } = ICONS[item.kind];
  const { title, details, isBad } = describeItem(item);
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
        <span className={classes.title}>{title}</span>
        {details === "" ? null : <span className={classes.details}>{details}</span>}
      </span>
      <Tooltip label={formatTime(item.at)}>
        <time dateTime={item.at} className={classes.time}>
          {timeOfDay(item.at)}
        </time>
      </Tooltip>
    </UnstyledButton>
  );
}
