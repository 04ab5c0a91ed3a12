import { closeBrackets } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { STYLE_NONCE } from "../../api/page-values.js";
import classes from "./code-mirror.module.css";

export interface CodeProblem {
  /** The line, counted from 1. */
  line: number;
  message: string;
}

export interface CodeMirrorProps {
  value: string;
  onChange?: (value: string) => void;
  language: "json" | "javascript";
  /** What is edited, for people who cannot see the screen. */
  label: string;
  isReadOnly?: boolean;
  problems?: readonly CodeProblem[];
  minHeight?: string;
}

// The colours are those of the theme, so that they fit the light and the dark scheme.
const HIGHLIGHTS = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword], color: "var(--mantine-color-anchor)" },
  { tag: [tags.string, tags.regexp], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--late)" },
  { tag: tags.comment, color: "var(--mantine-color-dimmed)", fontStyle: "italic" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

export interface FullEditorProps extends CodeMirrorProps {
  /** The plain input that this editor replaces: where somebody is typing in it, they go on typing here. */
  takesOver: RefObject<HTMLTextAreaElement | null>;
}

export default function CodeMirror(props: FullEditorProps) {
  const { value, onChange, language, label, isReadOnly = false, problems, minHeight = "8rem", takesOver } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const change = useRef(onChange);
  change.current = onChange;

  // While this is drawn for the first time, the plain input is still in the page.
  const typing = useRef(isFocused(takesOver.current) ? selectionOf(takesOver.current) : undefined);
  // It happens before the browser handles another key: between the two editors a letter would be lost.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is kept in step by the next effect
  useLayoutEffect(() => {
    const parent = place.current;
    if (!parent) return;
    const editor = new EditorView({
      parent,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(STYLE_NONCE),
          lineNumbers(),
          history(),
          bracketMatching(),
          closeBrackets(),
          syntaxHighlighting(HIGHLIGHTS),
          lintGutter(),
          language === "json" ? json() : javascript(),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.lineWrapping,
          REPLACE_SELECTION,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.theme({ ".cm-content, .cm-gutter": { minHeight } }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) change.current?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    if (typing.current) {
      const [anchor, head] = typing.current.map((place) => Math.min(place, editor.state.doc.length));
      editor.dispatch({ selection: { anchor: anchor ?? 0, head: head ?? 0 } });
      editor.focus();
      typing.current = undefined;
    }
    return () => editor.destroy();
  }, [language, isReadOnly, label, minHeight]);

  // Also before another key: a value that is put in later would overwrite what was typed meanwhile.
  useLayoutEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const { doc } = editor.state;
    const marks = (problems ?? []).map(({ line, message }): Diagnostic => {
      const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
      return { from, to, severity: "error", message };
    });
    editor.dispatch(setDiagnostics(editor.state, marks));
  }, [problems]);

  return <div ref={place} className={classes.editor} />;
}

/**
 * When somebody types over coloured text, the browser writes its colour into a `style` of the new text. The content security
 * policy forbids that, so the editor replaces a selection itself.
 */
const REPLACE_SELECTION = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main, ranges } = view.state.selection;
    const { inputType, data: text } = event;
    if (inputType !== "insertText" || !text || main.empty || ranges.length > 1 || view.state.readOnly) return false;
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: "input.type" });
    const isHandled = view.state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, main.from, main.to, text, insert));
    if (!isHandled) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

function isFocused(input: HTMLTextAreaElement | null): input is HTMLTextAreaElement {
  return input !== null && document.activeElement === input;
}

function selectionOf({ selectionStart, selectionEnd }: HTMLTextAreaElement): [number, number] {
  return [selectionStart, selectionEnd];
}
