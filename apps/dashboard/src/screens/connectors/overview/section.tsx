import { Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./overview.module.css";

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.section}>
      <Title order={2} className={classes.heading}>
        {title}
      </Title>
      {children}
    </section>
  );
}
