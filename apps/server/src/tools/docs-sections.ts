/** The text of a page with what is between `<!-- name -->` and `<!-- /name -->` replaced. */
export function replaceSection(page: string, name: string, content: string): string {
  const section = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!section.test(page)) throw new Error(`The page has no section "${name}".`);
  return page.replace(section, (_whole, start: string, end: string) => `${start}\n${content}\n${end}`);
}
