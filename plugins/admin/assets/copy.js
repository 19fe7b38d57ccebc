/* global document, navigator, window, setTimeout */
// Makes the buttons copy what is in their fields. Without this file there are no buttons, and the fields can be selected.

document.documentElement.classList.add('can-copy');

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]');
  if (button !== null) void copy(button, document.getElementById(button.dataset.copy));
});

async function copy(button, field) {
  const [words] = button.childNodes;
  const before = words.textContent;
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
  setTimeout(() => (words.textContent = before), 2_000);
}
