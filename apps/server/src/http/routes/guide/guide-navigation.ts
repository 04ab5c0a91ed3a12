import { readLinks, resolveLink } from "./guide-markdown.js";

/** A page in the order of the list of all pages. */
export interface GuideEntry {
  title: string;
  address: string;
}

export interface GuideGroup {
  title: string;
  entries: GuideEntry[];
}

/** The groups of pages, as the list of all pages has them under its headings. */
export function readNavigation(list: string): GuideGroup[] {
  const groups: GuideGroup[] = [];
  for (const { heading, title, href } of readLinks(list)) {
    const address = href.startsWith("/") ? href : resolveLink("README", href);
    if (address?.startsWith("/guide") !== true) continue;
    const last = groups.at(-1);
    if (last?.title === heading) last.entries.push({ title, address });
    else groups.push({ title: heading, entries: [{ title, address }] });
  }
  return groups;
}
