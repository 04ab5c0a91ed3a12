/** The look of the guides. The colours are those of the dashboard. */
export const GUIDE_STYLE = `
:root {
  color-scheme: light dark;
  --body: #ffffff; --text: #1b1f27; --dimmed: #5b6472; --link: #2456c8; --line: #e3e6eb; --surface: #f7f8fa;
  --mark: #fff1b8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --body: #0f1115; --text: #e4e7ec; --dimmed: #9aa3b2; --link: #8aa8ee; --line: #262b34; --surface: #161a20;
    --mark: #4a3f12;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--body); color: var(--text);
  font: 1rem/1.6 "Inter Variable", system-ui, -apple-system, "Segoe UI", sans-serif;
}
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 0.5rem; top: 0.5rem; background: var(--body); padding: 0.25rem 0.5rem; }
.top {
  display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1.25rem; padding: 0.75rem 1.5rem;
  border-bottom: 1px solid var(--line);
}
.top a { text-decoration: none; }
.top .name { display: flex; align-items: center; gap: 0.5rem; font-weight: 600; color: var(--text); }
.top .name img { width: 1.5rem; height: 1.5rem; display: block; }
.top form { flex: 1 1 14rem; max-width: 26rem; margin: 0 auto; display: flex; gap: 0.5rem; }
input, button {
  font: inherit; color: inherit; background: var(--body); border: 1px solid var(--dimmed); border-radius: 0.25rem;
}
input { flex: 1; min-width: 0; padding: 0.25rem 0.625rem; }
button { padding: 0.25rem 0.75rem; cursor: pointer; }
.frame { display: grid; grid-template-columns: 15rem minmax(0, 58rem); gap: 0 3rem; padding: 0 1.5rem; }
.pages { padding: 1.5rem 0; font-size: 0.9375rem; }
.pages summary { display: none; }
.pages h2 { margin: 1.25rem 0 0.25rem; font-size: 0.8125rem; font-weight: 600; color: var(--dimmed); }
.pages h2:first-of-type { margin-top: 0; }
.pages ul { list-style: none; margin: 0; padding: 0; }
.pages a { display: block; padding: 0.125rem 0; color: var(--text); text-decoration: none; }
.pages a:hover { text-decoration: underline; }
.pages a[aria-current] { color: var(--link); font-weight: 600; }
main { padding: 1.5rem 0 4rem; min-width: 0; overflow-wrap: break-word; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.25rem 0 0.75rem; }
h3 { font-size: 1.0625rem; margin: 1.75rem 0 0.5rem; }
p, ul, ol, figure, .wide { margin: 0 0 1rem; }
:is(p, ul, ol, blockquote) { max-width: 46rem; }
.anchor { color: var(--dimmed); text-decoration: none; font-weight: 400; opacity: 0; }
:is(h2, h3, h4):hover .anchor, .anchor:focus { opacity: 1; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.875em; }
pre code { font-size: inherit; }
:not(pre) > code { background: var(--surface); border: 1px solid var(--line); border-radius: 0.25rem; padding: 0.0625rem 0.25rem; }
.code { position: relative; border: 1px solid var(--line); border-radius: 0.375rem; background: var(--surface); }
.code figcaption { padding: 0.25rem 0.875rem; font-size: 0.8125rem; color: var(--dimmed); border-bottom: 1px solid var(--line); }
.code pre { margin: 0; padding: 0.75rem 0.875rem; overflow-x: auto; line-height: 1.5; }
.code button { position: absolute; top: 0.25rem; right: 0.25rem; font-size: 0.75rem; padding: 0.0625rem 0.5rem; border-color: var(--line); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9375rem; }
th, td { text-align: left; vertical-align: top; padding: 0.375rem 1rem 0.375rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; white-space: nowrap; }
@media (min-width: 60rem) { td:first-child > code > wbr { display: none; } }
main img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 0.375rem; }
main img[src$=".svg"] { padding: 0.75rem; }
blockquote { margin: 0 0 1rem; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--dimmed); }
mark { background: var(--mark); color: var(--text); }
.hits { list-style: none; padding: 0; }
.hits li { margin-bottom: 1.25rem; }
.hits p { margin: 0; color: var(--dimmed); font-size: 0.9375rem; }
.turn { display: flex; justify-content: space-between; gap: 1rem; margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
@media (max-width: 60rem) {
  .frame { display: block; padding: 0 1rem; }
  .top { padding: 0.75rem 1rem; gap: 0.5rem 1rem; font-size: 0.9375rem; }
  .top .name { margin-right: auto; }
  .top form { order: 3; flex-basis: 100%; max-width: none; }
  .pages { padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
  .pages summary { display: list-item; cursor: pointer; font-weight: 600; }
  .pages h2:first-of-type { margin-top: 0.75rem; }
  .pages a { padding: 0.375rem 0; }
  .code button { position: static; display: block; margin: 0 0.5rem 0.5rem auto; }
}
`;
