// Better with it, never needed for it: every link works without this file.
"use strict";

(() => {
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

  // Following an anchor scrolls to its card, marks it and moves the focus there.
  function showCard(card) {
    for (const other of document.querySelectorAll(".card.is-active")) {
      other.classList.remove("is-active");
    }
    card.classList.add("is-active");
    card.scrollIntoView({ behavior: calm.matches ? "auto" : "smooth", block: "start" });
    card.focus({ preventScroll: true });
  }

  for (const link of document.querySelectorAll('.prose .anchor a[href^="#citation-"]')) {
    link.addEventListener("click", (event) => {
      const card = document.getElementById(link.hash.slice(1));
      if (!card || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      // Setting the hash keeps :target and the address that a reader may copy.
      if (window.location.hash !== link.hash) window.location.hash = link.hash;
      showCard(card);
    });
  }

  // A verdict under the pointer or the focus lights up its claim in the prose.
  function light(index, on) {
    for (const piece of document.querySelectorAll(".prose [data-claims]")) {
      if (piece.dataset.claims.split(" ").includes(index)) piece.classList.toggle("is-lit", on);
    }
  }
  for (const verdict of document.querySelectorAll(".verdict[data-claim]")) {
    const index = verdict.dataset.claim;
    for (const name of ["mouseenter", "focusin"]) {
      verdict.addEventListener(name, () => light(index, true));
    }
    for (const name of ["mouseleave", "focusout"]) {
      verdict.addEventListener(name, () => light(index, false));
    }
  }

  // Escape puts a tip away until the anchor is left (WCAG 1.4.13).
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const anchor of document.querySelectorAll(".anchor:hover, .anchor:focus-within")) {
      anchor.classList.add("is-dismissed");
    }
  });
  for (const anchor of document.querySelectorAll(".anchor")) {
    for (const name of ["mouseleave", "focusout"]) {
      anchor.addEventListener(name, () => anchor.classList.remove("is-dismissed"));
    }
  }

  // Moments stay in UTC as they were recorded; the reader's own time stands in the title.
  for (const time of document.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (!Number.isNaN(moment.valueOf())) time.title = moment.toLocaleString();
  }

  // Empty fields make no filter, so they need not stand in the address.
  const form = document.querySelector("form.filters");
  if (form) {
    form.addEventListener("submit", () => {
      for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
    });
    window.addEventListener("pageshow", () => {
      for (const field of form.elements) field.disabled = false;
    });
  }
})();
