/** The look of the reference page. It travels inside the page, which so needs nothing but itself. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8883; --soft: #8881; --accent: #0b6e99; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); }
nav h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; margin: 1.4rem 0 .3rem; }
nav ul { list-style: none; margin: 0; padding: 0; font-size: .85rem; }
nav li { margin: .15rem 0; overflow-wrap: anywhere; }
main { max-width: 62rem; padding: 2rem 3rem 6rem; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
h1 { margin: 0; }
h2 { margin: 3rem 0 .5rem; border-bottom: 1px solid var(--line); }
article { margin: 2rem 0 2.5rem; scroll-margin-top: 1rem; }
h3 { font-size: 1.05rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h4 { font-size: .85rem; margin: 1.1rem 0 .3rem; }
code { font: .88em ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: 4px; }
.method { display: inline-block; min-width: 4.2em; font: 700 .8rem ui-monospace, monospace; color: var(--accent); }
.access { font-size: .85rem; opacity: .8; margin: .2rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); }
td p { margin: 0 0 .3rem; }
@media (max-width: 55rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1.5rem 1rem 4rem; }
}
`;
