/** Runs on every page: buttons that copy code, and an open list of pages where there is room for it. Pages work without it. */
export const GUIDE_SCRIPT = `
const pages = document.querySelector(".pages details");
const room = matchMedia("(min-width: 60.01rem)");
const open = () => { pages.open = room.matches; };
room.addEventListener("change", open);
open();
for (const block of navigator.clipboard ? document.querySelectorAll(".code:not(.output)") : []) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  block.append(button);
}
`;
