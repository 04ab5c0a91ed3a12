import { BookIcon, QuestionIcon } from "@primer/octicons-react";
import { Link } from "@tanstack/react-router";
import { useOrganization } from "../../api/session/use-organization.js";
import { PaletteButton } from "../palette/palette-button.js";
import { helpRequest } from "../requests.js";
import { SCREENS } from "../screens.js";
import { HealthDot } from "./health-dot.js";
import { OrganizationMenu } from "./organization-menu.js";
import classes from "./shell.module.css";

/** The rail: organization, screens, and how the server is doing. */
export function Rail() {
  const { id: org } = useOrganization();
  return (
    <>
      <OrganizationMenu />
      <PaletteButton />
      <nav className={classes.links} aria-label="Screens">
        {SCREENS.map(({ path, name, icon: Icon }) => (
          <Link
            key={path}
            to={path}
            params={{ org }}
            activeOptions={{ exact: path === "/o/$org", includeSearch: false }}
            className={classes.link}
          >
            <Icon size={16} />
            {name}
          </Link>
        ))}
      </nav>
      <div className={classes.foot}>
        <a className={classes.link} href="/guide" target="_blank" rel="noreferrer">
          <BookIcon size={16} />
          Guide
        </a>
        <button type="button" className={classes.link} onClick={helpRequest.send}>
          <QuestionIcon size={16} />
          Shortcuts
        </button>
        <HealthDot />
      </div>
    </>
  );
}
