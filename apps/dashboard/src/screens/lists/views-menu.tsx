import { Button, Menu } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { View } from "@muster/protocol/api/views";
import { BookmarkIcon, TrashIcon } from "@primer/octicons-react";
import { useState } from "react";
import { type NewView, useViewChanges, useViews } from "../../api/audience/use-views.js";
import { useMay } from "../../api/session/use-organization.js";
import { NameDialog } from "../../ui/notes/name-dialog.js";
import { notifyOutcome } from "../../ui/notes/notify-done.js";
import { addressOfView, isChanged } from "./list-address.js";
import type { ListAddress } from "./use-list-address.js";

interface ViewsMenuProps {
  target: SubjectType;
  list: ListAddress;
}

/** Saved views: open one, save what is shown, remove one. All members of the organization share them. */
export function ViewsMenu({ target, list }: ViewsMenuProps) {
  const { data: views = [] } = useViews(target);
  const { create, update, remove } = useViewChanges();
  const mayChange = useMay("editor");
  const [isNaming, setNaming] = useState(false);
  const current = views.find(({ id }) => id === list.viewId);
  const differs = current !== undefined && isChanged(current, list.shown);
  const open = (view: View) => list.show(addressOfView(view), { replace: false });
  const save = () => {
    if (!current) return;
    const before = current;
    const now = viewOf(current.name, target, list);
    notifyOutcome(update.mutateAsync({ id: current.id, ...now }), `View ${now.name} saved`, () =>
      update.mutateAsync(before),
    );
  };
  const discard = (view: View) => {
    // Only while the list is shown, its address changes.
    const removed = remove.mutateAsync(view.id, {
      onSuccess: () => {
        if (view.id === list.viewId) list.show({ view: undefined });
      },
    });
    notifyOutcome(removed, `View ${view.name} removed`, () => create.mutateAsync(withoutId(view)));
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal transitionProps={{ duration: 0 }}>
        <Menu.Target>
          <Button variant="default" leftSection={<BookmarkIcon size={14} />}>
            {current ? `${current.name}${differs ? " (changed)" : ""}` : "Views"}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length === 0 ? <Menu.Label>No saved views yet</Menu.Label> : null}
          {views.map((view) => (
            <Menu.Item key={view.id} onClick={() => open(view)} fw={view.id === list.viewId ? 600 : undefined}>
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          {current && differs ? (
            <Menu.Item disabled={!mayChange} onClick={save}>
              Save changes to {current.name}
            </Menu.Item>
          ) : null}
          <Menu.Item disabled={!mayChange} onClick={() => setNaming(true)}>
            Save as a new view…
          </Menu.Item>
          {current ? (
            <Menu.Item disabled={!mayChange} leftSection={<TrashIcon size={14} />} onClick={() => discard(current)}>
              Remove {current.name}
            </Menu.Item>
          ) : null}
          {current ? (
            <Menu.Item
              onClick={() =>
                list.show({ view: undefined, q: undefined, filter: undefined, columns: undefined, sort: undefined })
              }
            >
              Show everything
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      <NameDialog
        title="Save this view"
        description="The words, the filter, the columns and the order are saved. Everybody in the organization sees it."
        saveLabel="Save view"
        opened={isNaming}
        onClose={() => setNaming(false)}
        onSave={async (name) => {
          const view = await create.mutateAsync(viewOf(name, target, list));
          list.show({ view: String(view.id) });
        }}
      />
    </>
  );
}

function viewOf(name: string, target: SubjectType, { text, predicate, columns, sort, shown }: ListAddress): NewView {
  return {
    name,
    target,
    // The address may have any filter, and the server says what is wrong with it.
    predicate: predicate as NewView["predicate"],
    search: text,
    // What nobody has chosen stays as it usually is, also when that changes.
    columns: shown.columns ? columns.map((column) => ({ ...column })) : [],
    sort: shown.sort ? { [sort.key]: sort.direction } : {},
  };
}

function withoutId({ name, target, predicate, search, columns, sort }: View): NewView {
  return { name, target, predicate, search, columns, sort };
}
