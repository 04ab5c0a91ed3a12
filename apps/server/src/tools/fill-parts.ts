const PART = /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- end of generated -->)/g;

/**
 * A page with its generated parts replaced. A part stands between `<!-- generated: NAME -->` and
 * `<!-- end of generated -->`. Throws when the page has a part that nobody makes, or lacks one.
 */
export function fillParts(page: string, parts: Readonly<Record<string, () => string>>): string {
  const found = new Set<string>();
  const filled = page.replaceAll(PART, (_, start: string, name: string, end: string) => {
    const render = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (!render) throw new Error(`Nobody makes the generated part "${name}".`);
    found.add(name);
    return `${start}\n${render()}\n${end}`;
  });
  const missing = Object.keys(parts).filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`The page lacks the generated parts ${missing.join(", ")}.`);
  return filled;
}
