import {
  AppsIcon,
  BroadcastIcon,
  BrowserIcon,
  FilterIcon,
  GearIcon,
  GraphIcon,
  HomeIcon,
  OrganizationIcon,
  PackageIcon,
  PeopleIcon,
  TagIcon,
  UploadIcon,
} from "@primer/octicons-react";

/** The screens, in the order of the rail. */
export const SCREENS = [
  { path: "/o/$org", name: "Home", icon: HomeIcon },
  { path: "/o/$org/users", name: "Users", icon: PeopleIcon },
  { path: "/o/$org/accounts", name: "Accounts", icon: OrganizationIcon },
  { path: "/o/$org/segments", name: "Segments", icon: FilterIcon },
  { path: "/o/$org/insights", name: "Insights", icon: GraphIcon },
  { path: "/o/$org/events", name: "Events", icon: BroadcastIcon },
  { path: "/o/$org/entities", name: "Entities", icon: PackageIcon },
  { path: "/o/$org/attributes", name: "Attributes", icon: TagIcon },
  { path: "/o/$org/connectors", name: "Connectors", icon: AppsIcon },
  { path: "/o/$org/import", name: "Import & export", icon: UploadIcon },
  { path: "/o/$org/platforms", name: "Platforms", icon: BrowserIcon },
  { path: "/o/$org/settings", name: "Settings", icon: GearIcon },
] as const;
