// Copies the command that a button stands beside and says so. Without it one
// click selects the whole command.
const LASTS_MS = 2000;
const done = document.body.dataset.copied ?? "";
const status = document.createElement("p");
status.className = "vh";
status.setAttribute("role", "status");
document.body.append(status);

for (const button of document.querySelectorAll("button[data-copy]")) {
  const label = [...button.childNodes];
  button.addEventListener("click", async () => {
    const code = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code); // no clipboard here: select instead
      return;
    }
    button.textContent = done;
    status.textContent = done;
    setTimeout(() => {
      button.replaceChildren(...label);
      status.textContent = "";
    }, LASTS_MS);
  });
}
