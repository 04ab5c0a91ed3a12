import { Anchor, Kbd, Text, Title } from "@mantine/core";
import { Fragment } from "react";
import classes from "./shortcuts.module.css";

const MOD = /mac|iphone|ipad/i.test(navigator.userAgent) ? "⌘" : "Ctrl";

const GROUPS: readonly { title: string; keys: readonly (readonly [readonly string[], string])[] }[] = [
  {
    title: "Everywhere",
    keys: [
      [[MOD, "K"], "Find a person, a screen or an action"],
      [["?"], "This list"],
      [["/"], "Search in the list"],
      [["Esc"], "Close the panel or the dialog"],
    ],
  },
  {
    title: "In lists",
    keys: [
      [["j"], "Next row"],
      [["k"], "Row before"],
      [["Enter"], "Open the row"],
      [["x"], "Select the row"],
      [["h"], "Cell to the left"],
      [["l"], "Cell to the right"],
      [["c"], "Copy the cell"],
    ],
  },
];

/** What can be done with the keyboard. */
export default function Shortcuts() {
  return (
    <>
      {GROUPS.map(({ title, keys }) => (
        <section key={title} className={classes.group}>
          <Title order={3}>{title}</Title>
          <dl className={classes.keys}>
            {keys.map(([pressed, what]) => (
              <Fragment key={what}>
                <dt>
                  {pressed.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </Fragment>
            ))}
          </dl>
        </section>
      ))}
      <Text c="dimmed">
        <Anchor href="/guide" target="_blank" inherit>
          The guide
        </Anchor>{" "}
        explains each screen.
      </Text>
    </>
  );
}
