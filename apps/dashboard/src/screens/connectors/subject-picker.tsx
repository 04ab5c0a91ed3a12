import { Select } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { Report } from "@muster/protocol/api/subjects";
import { useMemo, useState } from "react";
import { subjectName } from "../../api/audience/subject-name.js";
import { useSubjectSearch } from "../../api/audience/use-subject-search.js";
import { useTyped } from "../../ui/state/use-typed.js";

interface SubjectPickerProps {
  entity: SubjectType;
  /** The id of the one that is chosen; empty when none is. */
  value: string;
  onChange: (id: string) => void;
  label: string;
  placeholder: string;
}

/** Finds a user or an account while you type a name, an e-mail address, a domain or an id. */
export function SubjectPicker({ entity, value, onChange, label, placeholder }: SubjectPickerProps) {
  const [typed, setTyped] = useState("");
  const text = useTyped(typed);
  const found = useSubjectSearch(entity, text);
  const chosen = useSubjectSearch(entity, value, value !== "");
  const options = useMemo(() => {
    const all = [...(found.data ?? []), ...(value === "" ? [] : (chosen.data ?? []).filter(({ id }) => id === value))];
    return [...new Map(all.map((report) => [report.id, { value: report.id, label: labelOf(report) }])).values()];
  }, [found.data, chosen.data, value]);
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={options}
      // The server has chosen them: a person may have typed an id, which the label does not show.
      filter={({ options: all }) => all}
      searchable
      clearable
      searchValue={typed}
      onSearchChange={setTyped}
      value={value === "" ? null : value}
      onChange={(id) => onChange(id ?? "")}
      nothingFoundMessage={`No ${entity} begins with this`}
      w="100%"
      maw={280}
    />
  );
}

function labelOf(report: Report): string {
  const name = subjectName(report);
  const more = report.email ?? report.domain;
  return typeof more === "string" && more !== name ? `${name} (${more})` : name;
}
