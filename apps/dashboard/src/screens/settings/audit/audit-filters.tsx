import { Group, TextInput } from "@mantine/core";
import { useMembers } from "../../../api/members/use-members.js";
import { useUrlState } from "../../../ui/state/use-url-state.js";
import { FilterSelect } from "../../../ui/table/filter-select.js";

/** Narrows the audit log down: to a member, an object, and a time. All of it is in the address. */
export function AuditFilters() {
  const members = useMembers();
  const [member, setMember] = useUrlState("member");
  const [object, setObject] = useUrlState("object", "", { replace: true });
  const [from, setFrom] = useUrlState("from", "", { replace: true });
  const [to, setTo] = useUrlState("to", "", { replace: true });
  return (
    <Group gap="xs" align="flex-end">
      <FilterSelect
        label="Member"
        placeholder="Everybody"
        data={(members.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={member}
        onChange={setMember}
        w={200}
      />
      <TextInput
        label="Id of an object"
        value={object}
        onChange={({ currentTarget }) => setObject(currentTarget.value.trim())}
        w={230}
      />
      <TextInput
        label="From"
        type="date"
        value={from}
        onChange={({ currentTarget }) => setFrom(currentTarget.value)}
        w={140}
      />
      <TextInput
        label="To"
        type="date"
        value={to}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
        w={140}
      />
    </Group>
  );
}
