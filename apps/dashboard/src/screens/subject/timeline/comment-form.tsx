import { Button, Group, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answer, api } from "../../../api/client.js";
import { useMay } from "../../../api/session/use-organization.js";
import { notifyDone, notifyFailed } from "../../../ui/notes/notify-done.js";

/** Writes a comment on the subject. It can be taken back. */
export function CommentForm({ id, onDone }: { id: string; onDone: () => void }) {
  const [text, setText] = useState("");
  const may = useMay("editor");
  const comment = useMutation({
    mutationFn: () => answer(api.POST("/api/v1/{id}/comments", { params: { path: { id } }, body: { text } })),
    onSuccess: (created) => {
      setText("");
      onDone();
      notifyDone("Comment added", () =>
        answer(api.DELETE("/api/v1/{id}", { params: { path: { id: created.id } } })).then(onDone),
      );
    },
    onError: notifyFailed,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") comment.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          flex={1}
          aria-label="Comment"
          placeholder={may ? "Write a comment" : "Viewers cannot comment"}
          disabled={!may}
          maxLength={20_000}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={!may || text.trim() === ""} loading={comment.isPending}>
          Comment
        </Button>
      </Group>
    </form>
  );
}
