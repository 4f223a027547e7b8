// The only script that blocks: it sets the chosen theme before the first paint,
// so that pages need no cookie and can be cached. Without it, or without a
// choice, the system's preference decides.
(() => {
  const KEY = "touchstone-theme";
  const root = document.documentElement;
  const read = () => {
    try { return localStorage.getItem(KEY); } catch { return null; }
  };
  const keep = (theme) => {
    try { localStorage.setItem(KEY, theme); } catch { /* it then lasts for this page */ }
  };
  const chosen = read();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("button[data-theme-next]");
    if (!button) return;
    const system = matchMedia("(prefers-color-scheme: dark)");
    const show = () => {
      const now = root.dataset.theme ?? (system.matches ? "dark" : "light");
      const next = now === "dark" ? "light" : "dark";
      button.dataset.themeNext = next;
      button.textContent = button.dataset[next];
    };
    button.addEventListener("click", () => {
      root.dataset.theme = button.dataset.themeNext;
      keep(root.dataset.theme);
      show();
    });
    system.addEventListener("change", show);
    show();
  });
})();
