// A personal link: the token after # goes into the form and out of the address. Who is signed in already decides about sending it.

const input = document.getElementById("token");
const token = location.hash.slice(1);
if (input && token.startsWith("arena_")) {
  history.replaceState(null, "", location.pathname + location.search);
  input.value = token;
  if (!document.querySelector("[data-stay]")) input.form.requestSubmit();
}
