import { useNavigate } from "@tanstack/react-router";

/** Opens another tab. The filters of the tab before mean nothing there, so they leave the address. */
export function useResetOnTab(): (tab: string) => void {
  const navigate = useNavigate();
  return (tab) => {
    void navigate({ to: ".", search: tab === "live" ? {} : { tab } });
  };
}
