// Better with it, never needed for it: every link works without this file.
"use strict";

(() => {
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
