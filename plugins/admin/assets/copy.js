/* global document, navigator, window, setTimeout */
// Makes the buttons copy what is in their fields. Without this file there are no buttons, and the fields can be selected.

document.documentElement.classList.add('can-copy');

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]');
  if (button !== null) void copy(button, document.getElementById(button.dataset.copy));
});

async function copy(button, field) {
  const [words] = button.childNodes;
  // A second click finds the words of the first.
  button.dataset.label ??= words.textContent;
  field.select();
  try {
    // Only there over https and on this machine; elsewhere the text is selected.
    await navigator.clipboard.writeText(field.value);
    window.getSelection().empty();
    field.blur();
    words.textContent = 'Copied';
  } catch {
    words.textContent = 'Selected';
  }
  setTimeout(() => (words.textContent = button.dataset.label), 2_000);
}
