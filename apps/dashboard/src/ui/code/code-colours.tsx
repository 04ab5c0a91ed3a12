import classes from "./plain-code.module.css";

/** More text than this is shown in one colour: nobody reads it whole, and each piece is an element of the page. */
const MAX_COLOURED = 20_000;

const PIECES =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?<number>\b\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?\b|\b(?:true|false|null|undefined)\b)|(?<keyword>\b(?:async|await|break|case|catch|const|continue|default|delete|do|else|export|finally|for|function|if|import|in|instanceof|let|new|of|return|switch|throw|try|typeof|var|while|yield)\b)/g;

/** JSON or JavaScript in the colours of the editor. It only looks at words, so it is small and never fails. */
export function CodeColours({ text }: { text: string }) {
  if (text.length > MAX_COLOURED) return text;
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(PIECES)) {
    if (match.index > end) pieces.push(text.slice(end, match.index));
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0] ?? "";
    pieces.push(
      <span key={match.index} className={classes[kind]}>
        {match[0]}
      </span>,
    );
    end = match.index + match[0].length;
  }
  pieces.push(text.slice(end));
  return pieces;
}
