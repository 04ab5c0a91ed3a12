import { Button, type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

/** The one accent colour: what can be clicked. */
const accent: MantineColorsTuple = [
  "#eef3ff",
  "#dbe4fb",
  "#b4c7f4",
  "#8aa8ee",
  "#688ee9",
  "#4f7de5",
  "#3f70dc",
  "#2456c8",
  "#1d4ab2",
  "#153d98",
];

export const theme = createTheme({
  primaryColor: "accent",
  primaryShade: { light: 7, dark: 6 },
  colors: { accent },
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  defaultRadius: "sm",
  cursorType: "pointer",
  headings: {
    fontWeight: "600",
    sizes: { h1: { fontSize: "1.25rem" }, h2: { fontSize: "1rem" }, h3: { fontSize: "0.875rem" } },
  },
  components: {
    Button: Button.extend({
      defaultProps: { size: "xs" },
      // The smallest ones would be less than the 24 pixels that a finger needs.
      vars: (_theme, { size }) => ({ root: size === "compact-xs" ? { "--button-height": "24px" } : {} }),
    }),
    // What floats above the page is in a landmark too, so that people who jump between landmarks find it.
    Portal: { defaultProps: { target: "#overlays" } },
    // Small inputs would have descriptions of 10 pixels.
    InputWrapper: {
      vars: () => ({
        description: { "--input-description-size": "0.75rem" },
        error: { "--input-error-size": "0.75rem" },
      }),
    },
    TextInput: { defaultProps: { size: "xs" } },
    PasswordInput: { defaultProps: { size: "xs" } },
    Textarea: { defaultProps: { size: "xs" } },
    Select: { defaultProps: { size: "xs" } },
    MultiSelect: { defaultProps: { size: "xs" } },
    TagsInput: { defaultProps: { size: "xs" } },
    Autocomplete: { defaultProps: { size: "xs" } },
    SegmentedControl: { defaultProps: { size: "xs" } },
    Switch: { defaultProps: { size: "sm" } },
    Checkbox: { defaultProps: { size: "xs" } },
    Text: { defaultProps: { size: "sm" } },
    Badge: { defaultProps: { variant: "light", size: "sm", tt: "none", fw: 500 } },
    ActionIcon: { defaultProps: { variant: "subtle", size: "sm" } },
    Tooltip: { defaultProps: { openDelay: 200, withArrow: false, multiline: true, maw: 360 } },
    // The page itself never scrolls. Its lock would add a style that the content security policy refuses.
    Modal: {
      defaultProps: {
        lockScroll: false,
        centered: true,
        transitionProps: { duration: 0 },
        closeButtonProps: { "aria-label": "Close" },
      },
    },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Anchor: { defaultProps: { underline: "always" } },
  },
});

/** Colours that carry a meaning, and the thin lines. Both schemes keep a contrast of at least 4.5 for text. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-text": "#1b1f27",
    "--mantine-color-dimmed": "#5b6472",
    "--mantine-color-anchor": "#2456c8",
    "--line": "#e3e6eb",
    "--surface": "#f7f8fa",
    "--good": "#17753a",
    "--late": "#8a5700",
    "--bad": "#b3261e",
    "--good-fill": "#2fa35f",
    "--late-fill": "#d99a1c",
    "--bad-fill": "#d6453d",
    "--accent-fill": "#4f7de5",
    "--switch-off": "var(--mantine-color-gray-3)",
  },
  dark: {
    "--mantine-color-body": "#0f1115",
    "--mantine-color-text": "#e4e7ec",
    "--mantine-color-dimmed": "#9aa3b2",
    "--mantine-color-anchor": "#8aa8ee",
    "--line": "#262b34",
    "--surface": "#161a20",
    "--good": "#5fce8f",
    "--late": "#e7b75a",
    "--bad": "#f28b82",
    "--good-fill": "#3fae70",
    "--late-fill": "#c98f24",
    "--bad-fill": "#d9534a",
    "--accent-fill": "#688ee9",
    "--switch-off": "var(--mantine-color-dark-5)",
  },
});
