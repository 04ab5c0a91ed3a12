import "@fontsource-variable/inter/wght.css";
import "./mantine.css";
import "./global.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { STYLE_NONCE } from "../api/page-values.js";
import { queryClient } from "../api/query-client.js";
import { NotesHost } from "../ui/notes/notes-host.js";
import { router } from "./router.js";
import { cssVariables, theme } from "./theme.js";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element for the dashboard.");

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => STYLE_NONCE}
      >
        <NotesHost />
        <RouterProvider router={router} />
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
);
