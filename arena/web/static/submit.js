// Sends the form for a submission. If it is rejected, only the error messages change, so that the form keeps its file.

const form = document.getElementById("submission");
const button = form.querySelector("button");
const UNREADABLE = "The file could not be sent: it has changed since you chose it, or the server can't be reached. Choose it again.";

function complain(complaints) {
  form.querySelectorAll(".wrong").forEach((each) => each.remove());
  form.querySelectorAll("[aria-invalid]").forEach((each) => each.removeAttribute("aria-invalid"));
  for (const [field, sentence] of complaints) {
    const input = form.elements[field];
    const line = Object.assign(document.createElement("p"), { className: "wrong", id: `${field}-wrong`, role: "alert", textContent: sentence });
    // The link opens a new tab, so that this page keeps its file.
    if (field === "token") line.append(" ", Object.assign(document.createElement("a"), { href: form.dataset.signIn, target: "_blank", textContent: "Sign in, in a new tab" }));
    (input ?? button).closest("p").after(line);
    input?.setAttribute("aria-invalid", "true");
    input?.setAttribute("aria-describedby", line.id);
  }
  form.elements[complaints[0]?.[0]]?.focus();
}

async function send() {
  const answer = await fetch(form.action, { method: "POST", body: new FormData(form), headers: { accept: "text/html" } });
  if (answer.redirected) return location.assign(answer.url);
  const text = await answer.text();
  const page = new DOMParser().parseFromString(text, "text/html");
  const lines = [...page.querySelectorAll(".wrong[id]")].map((each) => [each.id.replace("-wrong", ""), each.textContent]);
  complain(lines.length ? lines : [["", page.querySelector("main p")?.textContent ?? text]]);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  button.disabled = true;
  send()
    .catch(() => {
      form.elements.file.value = "";
      complain([["file", UNREADABLE]]);
    })
    .finally(() => (button.disabled = false));
});
