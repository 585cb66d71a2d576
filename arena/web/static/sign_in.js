// Handles a personal link: moves the token after # from the address to the form, and sends it unless the visitor is already signed in.

const input = document.getElementById("token");
const token = location.hash.slice(1);
if (input && token.startsWith("arena_")) {
  history.replaceState(null, "", location.pathname + location.search);
  input.value = token;
  if (!document.querySelector("[data-stay]")) input.form.requestSubmit();
}
