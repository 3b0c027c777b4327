// @ts-check
// The list of incidents: a file that was exported elsewhere is imported and opened.

const form = document.querySelector("[data-import]");
const said = /** @type {HTMLOutputElement | null} */ (form?.querySelector("output") ?? null);

form?.addEventListener("change", async (event) => {
  const file = /** @type {HTMLInputElement} */ (event.target).files?.[0];
  if (!file || !said) return;
  said.textContent = `Importing ${file.name}.`;
  try {
    const answer = await fetch("/api/incidents/import", { method: "POST", body: file });
    const body = await answer.json();
    if (answer.ok) location.href = body.href;
    else said.textContent = `${body.title}: ${body.detail}`;
  } catch {
    said.textContent = "The server did not answer.";
  }
});
