// Selecting words of the text fills the quote and its offsets; the page looks again while it waits.
"use strict";

(() => {
  if (document.querySelector("[data-waits]")) setTimeout(() => location.reload(), 1000);

  const source = document.getElementById("p-text");
  if (!source) return;
  // Offsets count code points, JavaScript counts UTF-16 units.
  const count = (text) => [...text].length;
  // A field may write line ends otherwise: then only the words are taken.
  const isWhole = count(source.value) === Number(source.dataset.length);
  source.addEventListener("select", () => {
    const { selectionStart: from, selectionEnd: to, value } = source;
    if (from === to) return;
    const start = Number(source.dataset.start) + count(value.slice(0, from));
    document.getElementById("p-quote").value = value.slice(from, to);
    document.getElementById("p-start").value = isWhole ? start : "";
    document.getElementById("p-end").value = isWhole ? start + count(value.slice(from, to)) : "";
  });
})();
