import { Group, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import classes from "./page.module.css";

interface PageProps {
  title: string;
  /** Before the title: a small picture. */
  picture?: ReactNode;
  /** Beside the title: freshness, a status, a count. */
  beside?: ReactNode;
  actions?: ReactNode;
  /** The content fills the height and scrolls itself, as tables do. */
  fills?: boolean;
  children: ReactNode;
}

/** The frame of a screen: title, actions, content. */
export function Page({ title, picture, beside, actions, fills = false, children }: PageProps) {
  useDocumentTitle(`${title} · Muster`);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <Group gap="sm" wrap="nowrap" className={classes.name}>
          {picture}
          <Title order={1} className={classes.title}>
            {title}
          </Title>
          {beside}
        </Group>
        {actions ? <Group gap="xs">{actions}</Group> : null}
      </header>
      <div className={fills ? classes.filled : classes.content}>{children}</div>
    </div>
  );
}
