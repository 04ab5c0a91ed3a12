import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";

/** A link to a page of the guide, such as `connectors/using`. It opens beside the dashboard. */
export function GuideLink({ page, children }: { page: string; children: ReactNode }) {
  return (
    <Anchor href={`/guide/${page}`} target="_blank">
      {children}
    </Anchor>
  );
}
