import type { Role } from "@muster/protocol/api/members";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../client.js";
import { useOrganization } from "../session/use-organization.js";

const ALL = { query: { page: 1, per_page: 1_000 } };

export function useMembers() {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "members"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/members", { params: ALL, signal })),
  });
}

export function useInvitations() {
  const { id: org } = useOrganization();
  return useQuery({
    queryKey: [org, "invitations"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/invitations", { params: ALL, signal })),
  });
}

function useRefresh(noun: "members" | "invitations") {
  const { id: org } = useOrganization();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [org, noun] });
}

export function useChangeRole() {
  const refresh = useRefresh("members");
  return useMutation({
    mutationFn: ({ id, role }: { id: string; role: Role }) =>
      answer(api.PUT("/api/v1/members/{id}", { params: { path: { id } }, body: { role } })),
    onSettled: refresh,
  });
}

export function useRemoveMember() {
  const refresh = useRefresh("members");
  return useMutation({
    mutationFn: (id: string) => answer(api.DELETE("/api/v1/members/{id}", { params: { path: { id } } })),
    onSuccess: refresh,
  });
}

export function useInvite() {
  const refresh = useRefresh("invitations");
  return useMutation({
    mutationFn: (body: { email: string; role: Role }) => answer(api.POST("/api/v1/invitations", { body })),
    onSuccess: refresh,
  });
}

export function useWithdrawInvitation() {
  const refresh = useRefresh("invitations");
  return useMutation({
    mutationFn: (id: string) => answer(api.DELETE("/api/v1/invitations/{id}", { params: { path: { id } } })),
    onSuccess: refresh,
  });
}
